package io.redelay.guide;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

import tools.jackson.databind.json.JsonMapper;

/**
 * Makes the guide: an index, a page for each chapter, and a search, which all work from a
 * file and ask no server for anything.
 */
public final class GuideMain {

	private GuideMain() {
	}

	/**
	 * Makes the guide.
	 * @param arguments the folder of the source, the folder for the pages, and attributes
	 * as {@code name=value}
	 * @throws IOException if a file cannot be read or written
	 */
	public static void main(String[] arguments) throws IOException {
		Map<String, String> attributes = new HashMap<>();
		for (String attribute : List.of(arguments).subList(2, arguments.length)) {
			int sign = attribute.indexOf('=');
			attributes.put(attribute.substring(0, sign), attribute.substring(sign + 1));
		}
		make(Path.of(arguments[0]), Path.of(arguments[1]), attributes);
	}

	/**
	 * Makes the guide.
	 * @param source the folder with {@code asciidoc/index.adoc} and {@code site}
	 * @param target the folder for the pages
	 * @param attributes attributes that the text may use
	 * @throws IOException if a file cannot be read or written
	 * @throws GuideException if something is wrong with the text
	 */
	static void make(Path source, Path target, Map<String, String> attributes) throws IOException {
		Guide guide = GuideReader.read(source.resolve("asciidoc/index.adoc"), attributes);
		Links links = Links.of(guide.chapters());
		SearchIndex search = new SearchIndex();
		guide.chapters().forEach(search::add);
		for (Chapter chapter : guide.chapters()) {
			links.resolve(chapter.title(), chapter.body());
			PageBody.shape(chapter.body());
		}
		links.resolve(guide.title(), guide.preamble());
		PageTemplate template = new PageTemplate(guide);
		Files.createDirectories(target);
		for (Chapter chapter : guide.chapters()) {
			Files.writeString(target.resolve(chapter.page()), template.chapter(chapter));
		}
		Files.writeString(target.resolve("index.html"), template.index());
		Files.writeString(target.resolve("search-index.js"), search.script());
		Files.writeString(target.resolve("anchors.js"), "window.guideAnchors = "
				+ JsonMapper.shared().writeValueAsString(new TreeMap<>(links.targets())) + ";\n");
		copy(source.resolve("site"), target);
		copy(source.resolve("asciidoc/images"), target.resolve("images"));
	}

	private static void copy(Path from, Path to) throws IOException {
		if (!Files.isDirectory(from)) {
			return;
		}
		Files.createDirectories(to);
		try (Stream<Path> files = Files.list(from)) {
			files.forEach((file) -> {
				try {
					Files.copy(file, to.resolve(file.getFileName()), StandardCopyOption.REPLACE_EXISTING);
				}
				catch (IOException ex) {
					throw new UncheckedIOException(ex);
				}
			});
		}
	}

}

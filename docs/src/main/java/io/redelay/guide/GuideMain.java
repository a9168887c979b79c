package io.redelay.guide;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Stream;

import tools.jackson.databind.json.JsonMapper;

/**
 * Makes the guide of one version in its folder of a site: a page with the doors, a page
 * for each chapter, and a search, which all work from a file and ask no other server for
 * anything. It also makes the copies of the chapters that code hosts show in place.
 */
public final class GuideMain {

	private static final String LUNR = "/META-INF/resources/webjars/lunr/2.3.9/";

	private GuideMain() {
	}

	/**
	 * Makes the guide.
	 * @param arguments the folder of the source, the folder of the site, the folder of
	 * the copies for code hosts, and attributes as {@code name=value}, of which
	 * {@code redelay-version} names the version
	 * @throws IOException if a file cannot be read or written
	 */
	public static void main(String[] arguments) throws IOException {
		Map<String, String> attributes = new HashMap<>();
		for (String attribute : List.of(arguments).subList(3, arguments.length)) {
			int sign = attribute.indexOf('=');
			attributes.put(attribute.substring(0, sign), attribute.substring(sign + 1));
		}
		make(Path.of(arguments[0]), Path.of(arguments[1]), Path.of(arguments[2]), attributes);
	}

	/**
	 * Makes the guide.
	 * @param source the folder with {@code asciidoc/index.adoc}, {@code site} and
	 * {@code synonyms.txt}
	 * @param site the folder of the site, which may have other versions
	 * @param copies the folder for the copies of the chapters, which is emptied
	 * @param attributes attributes that the text may use
	 * @throws IOException if a file cannot be read or written
	 * @throws GuideException if something is wrong with the text
	 */
	static void make(Path source, Path site, Path copies, Map<String, String> attributes) throws IOException {
		String version = attributes.get("redelay-version");
		// It is a folder, which is emptied.
		if (version == null || !version.matches("\\d[\\w.-]*")) {
			throw new GuideException("The attribute redelay-version names no version: " + version);
		}
		Guide guide = GuideReader.read(source.resolve("asciidoc/index.adoc"), attributes);
		Links links = Links.of(guide.chapters());
		SearchIndex search = new SearchIndex(Synonyms.read(source.resolve("synonyms.txt")));
		guide.doors().forEach((door) -> door.chapters().forEach((chapter) -> search.add(door, chapter)));
		deleteRecursively(copies);
		Files.createDirectories(copies);
		new ChapterCopies(guide, links, attributes).write(copies);
		Path images = source.resolve("asciidoc/images");
		shape(guide, links, images);
		Path target = site.resolve(version);
		deleteRecursively(target);
		Files.createDirectories(target);
		writePages(guide, version, target);
		Files.writeString(target.resolve("search-index.js"), search.script());
		Files.writeString(target.resolve("anchors.js"), "window.guideAnchors = "
				+ JsonMapper.shared().writeValueAsString(new TreeMap<>(links.targets())) + ";\n");
		copy(source.resolve("site"), target);
		copy(images, target.resolve("images"));
		copyLunr("lunr.min.js", target.resolve("lunr.js"));
		copyLunr("LICENSE", target.resolve("lunr-LICENSE.txt"));
		Versions.add(site, version, guide.chapters().stream().map(Chapter::page).toList());
	}

	private static void shape(Guide guide, Links links, Path images) throws IOException {
		links.resolve(guide.title(), guide.preamble());
		PageBody.shape(guide.preamble(), images);
		for (Door door : guide.doors()) {
			links.resolve(door.title(), door.intro());
			for (Chapter chapter : door.chapters()) {
				links.resolve(chapter.title(), chapter.body());
				PageBody.shape(chapter.body(), images);
			}
		}
	}

	private static void writePages(Guide guide, String version, Path target) throws IOException {
		PageTemplate template = new PageTemplate(guide, version);
		Files.writeString(target.resolve("index.html"), template.index());
		for (Door door : guide.doors()) {
			for (Chapter chapter : door.chapters()) {
				Files.writeString(target.resolve(chapter.page()), template.chapter(door, chapter));
			}
		}
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

	private static void copyLunr(String name, Path to) throws IOException {
		try (InputStream file = GuideMain.class.getResourceAsStream(LUNR + name)) {
			Files.copy(Objects.requireNonNull(file), to);
		}
	}

	/**
	 * Removes what an earlier build made: a page that is no longer made must not stay.
	 */
	private static void deleteRecursively(Path folder) throws IOException {
		if (!Files.exists(folder)) {
			return;
		}
		try (Stream<Path> files = Files.walk(folder)) {
			for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
				Files.delete(file);
			}
		}
	}

}

package io.redelay.guide;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.asciidoctor.Asciidoctor;
import org.asciidoctor.Attributes;
import org.asciidoctor.Options;
import org.asciidoctor.SafeMode;
import org.asciidoctor.ast.Document;
import org.asciidoctor.ast.Section;
import org.asciidoctor.ast.StructuralNode;
import org.asciidoctor.extension.Preprocessor;
import org.asciidoctor.extension.PreprocessorReader;
import org.asciidoctor.extension.Reader;
import org.asciidoctor.log.LogRecord;
import org.asciidoctor.log.Severity;
import org.jsoup.Jsoup;
import org.jsoup.nodes.Element;

/**
 * Reads the whole guide as one document, so that a reference to another chapter gets its
 * title, and takes it apart into chapters.
 */
final class GuideReader {

	private GuideReader() {
	}

	/**
	 * Reads a guide. It is a book: parts that hold chapters, and are doors or groups
	 * behind them.
	 * @param source the file that includes all others
	 * @param attributes the attributes that the text may use
	 * @return the guide
	 * @throws IOException if a file cannot be read
	 * @throws GuideException if Asciidoctor warns of anything
	 */
	static Guide read(Path source, Map<String, String> attributes) throws IOException {
		List<String> warnings = new ArrayList<>();
		try (Asciidoctor asciidoctor = Asciidoctor.Factory.create()) {
			asciidoctor.registerLogHandler((record) -> collect(record, warnings));
			Document document = asciidoctor.loadFile(source.toFile(), options(attributes));
			Guide guide = read(document, texts(asciidoctor, source, attributes));
			if (!warnings.isEmpty()) {
				throw new GuideException("Asciidoctor warns of:\n" + String.join("\n", warnings));
			}
			return guide;
		}
	}

	private static Options options(Map<String, String> attributes) {
		Attributes all = Attributes.builder()
			.attribute("source-highlighter", "rouge")
			.attribute("rouge-css", "class")
			.attribute("experimental")
			.attribute("imagesdir", "images")
			.build();
		attributes.forEach(all::setAttribute);
		// The text includes code from other modules.
		return Options.builder().safe(SafeMode.UNSAFE).backend("html5").attributes(all).build();
	}

	private static void collect(LogRecord record, List<String> warnings) {
		if (record.getSeverity().compareTo(Severity.WARN) >= 0) {
			warnings.add(record.getMessage() + " (" + record.getCursor() + ")");
		}
	}

	/**
	 * Reads each file next to the index as Asciidoctor's parser gets it.
	 */
	private static Map<String, List<String>> texts(Asciidoctor asciidoctor, Path index, Map<String, String> attributes)
			throws IOException {
		List<String> lines = new ArrayList<>();
		asciidoctor.javaExtensionRegistry().preprocessor(new Preprocessor() {

			@Override
			public Reader process(Document document, PreprocessorReader reader) {
				lines.addAll(reader.readLines());
				return reader;
			}

		});
		Map<String, List<String>> texts = new HashMap<>();
		try (DirectoryStream<Path> files = Files.newDirectoryStream(index.resolveSibling(""), "*.adoc")) {
			for (Path file : files) {
				if (!file.getFileName().equals(index.getFileName())) {
					lines.clear();
					asciidoctor.loadFile(file.toFile(), options(attributes));
					texts.put(lines.get(0).replaceAll("[\\[\\]]", ""), List.copyOf(lines));
				}
			}
		}
		return texts;
	}

	private static Guide read(Document document, Map<String, List<String>> texts) {
		Element preamble = new Element("div");
		Map<String, Door> doors = new LinkedHashMap<>();
		for (StructuralNode node : document.getBlocks()) {
			if (node instanceof Section part) {
				read(part, doors);
			}
			else {
				preamble.append(node.convert());
			}
		}
		return new Guide(document.getDoctitle(), preamble, List.copyOf(doors.values()), texts);
	}

	private static void read(Section part, Map<String, Door> doors) {
		String[] title = text(part.getTitle()).split(": ", 2);
		String group = (title.length == 2) ? title[1] : "";
		Door door = doors.computeIfAbsent(title[0], (name) -> new Door(name, new Element("div"), new ArrayList<>()));
		for (StructuralNode block : part.getBlocks()) {
			if (block instanceof Section section) {
				door.chapters().add(chapter(part, group, section));
			}
			else if (door.chapters().isEmpty()) {
				door.intro().append(block.convert());
			}
			else {
				throw new GuideException("The part '" + part.getTitle() + "' holds something that is in no chapter.");
			}
		}
	}

	private static Chapter chapter(Section part, String group, Section section) {
		Element body = Jsoup.parseBodyFragment(section.convert()).body();
		return new Chapter(section.getId(), text(section.getTitle()), group, weight(section, weight(part, 1)),
				part.hasAttribute("unfolded-option"), body);
	}

	/**
	 * Reads how much a match in a part or a chapter weighs: {@code [weight=0.5]} above
	 * its title or its include.
	 */
	private static double weight(Section section, double otherwise) {
		Object weight = section.getAttribute("weight");
		return (weight != null) ? Double.parseDouble(weight.toString()) : otherwise;
	}

	private static String text(String html) {
		return Jsoup.parseBodyFragment(html).text();
	}

}

package io.redelay.guide;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jsoup.nodes.Element;
import org.jsoup.nodes.TextNode;

/**
 * Writes copies of the chapters for code hosts, which show AsciiDoc in place, but include
 * no file and know only one chapter at a time: what is included is in place, attributes
 * are their values, and references are links.
 */
final class ChapterCopies {

	/** Where the images are, seen from the folder of the copies in the repository. */
	private static final String IMAGES = "../src/docs/asciidoc/images";

	private static final Pattern FENCE = Pattern.compile("-{4,}|\\.{4,}");

	private static final Pattern ENTRY = Pattern.compile(":([\\w-]+): (.*)");

	private static final Pattern ATTRIBUTE = Pattern.compile("\\{([\\w-]+)}");

	private static final Pattern REFERENCE = Pattern.compile("<<([\\w-]+)(?:,(.+?))?>>", Pattern.DOTALL);

	private static final Pattern SENTENCE = Pattern.compile("(.+?)(?:\\.(?: [A-Z@`].*)?|:)");

	private final Guide guide;

	private final Links links;

	private final Map<String, String> attributes;

	private final Map<String, String> titles = new HashMap<>();

	/**
	 * Creates an instance.
	 * @param guide the guide, as it was read
	 * @param links where its anchors are
	 * @param attributes attributes that the text may use
	 */
	ChapterCopies(Guide guide, Links links, Map<String, String> attributes) {
		this.guide = guide;
		this.links = links;
		this.attributes = attributes;
		for (Chapter chapter : guide.chapters()) {
			chapter.body()
				.select("h2[id], h3[id], h4[id], h5[id]")
				.forEach((heading) -> this.titles.put(heading.id(), text(heading)));
		}
	}

	/**
	 * Writes a copy of each chapter, and an index of them.
	 * @param folder the folder for the copies
	 * @throws IOException if a file cannot be written
	 */
	void write(Path folder) throws IOException {
		for (Chapter chapter : this.guide.chapters()) {
			Files.writeString(folder.resolve(file(chapter.page())), copy(chapter));
		}
		Files.writeString(folder.resolve("README.md"), index());
	}

	private String index() {
		StringBuilder index = new StringBuilder("# The guide to " + this.guide.title() + "\n\n");
		index.append(text(this.guide.preamble())).append('\n');
		for (Door door : this.guide.doors()) {
			index.append("\n## ").append(door.title()).append("\n\n").append(text(door.intro())).append('\n');
			door.groups().forEach((group, chapters) -> {
				index.append(group.isEmpty() ? "\n" : "\n### " + group + "\n\n");
				chapters.forEach((chapter) -> addTo(index, chapter));
			});
		}
		return index.toString();
	}

	private void addTo(StringBuilder index, Chapter chapter) {
		index.append("- [%s](%s)".formatted(this.titles.get(chapter.id()), file(chapter.page())));
		Element paragraph = chapter.body().selectFirst(".paragraph > p");
		Matcher sentence = SENTENCE.matcher((paragraph != null) ? text(paragraph) : "");
		if (sentence.matches()) {
			index.append(": ").append(sentence.group(1)).append('.');
		}
		index.append('\n');
		if (chapter.unfolded()) {
			for (Element section : chapter.sections()) {
				index.append("  - [%s](%s#%s)\n".formatted(text(section), file(chapter.page()), section.id()));
			}
		}
	}

	private String copy(Chapter chapter) {
		List<String> lines = this.guide.texts().get(chapter.id());
		if (lines == null) {
			throw new GuideException("No file begins with [[" + chapter.id() + "]].");
		}
		Map<String, String> values = new HashMap<>(this.attributes);
		StringBuilder copy = new StringBuilder();
		List<String> prose = new ArrayList<>();
		String fence = null;
		for (String line : lines) {
			Matcher entry = ENTRY.matcher(line);
			if (fence != null) {
				copy.append(line).append('\n');
				fence = line.equals(fence) ? null : fence;
			}
			else if (entry.matches()) {
				values.put(entry.group(1), entry.group(2));
			}
			else if (line.startsWith("= ")) {
				prose.addAll(List.of(line, ":imagesdir: " + IMAGES, ":idprefix:", ":idseparator: -", "",
						"link:README.md[All chapters]"));
			}
			else if (FENCE.matcher(line).matches()) {
				addTo(copy, prose, values, chapter);
				copy.append(line).append('\n');
				fence = line;
			}
			else if (!line.startsWith("//")) {
				prose.add(line);
			}
		}
		addTo(copy, prose, values, chapter);
		return copy.toString();
	}

	private void addTo(StringBuilder copy, List<String> prose, Map<String, String> values, Chapter chapter) {
		String text = prose.stream().map((line) -> line + "\n").reduce("", String::concat).replaceAll("\n{3,}", "\n\n");
		String replaced = ATTRIBUTE.matcher(text)
			.replaceAll((match) -> Matcher.quoteReplacement(values.getOrDefault(match.group(1), match.group())));
		copy.append(REFERENCE.matcher(replaced).replaceAll((match) -> Matcher.quoteReplacement(link(match, chapter))));
		prose.clear();
	}

	private String link(MatchResult reference, Chapter chapter) {
		String anchor = reference.group(1);
		String title = (reference.group(2) != null) ? reference.group(2) : this.titles.get(anchor);
		String target = this.links.targets().get(anchor);
		if (title == null || target == null) {
			throw new GuideException("The chapter '" + chapter.title() + "' refers to '" + anchor
					+ "', which has no title. Give the reference a text: <<" + anchor + ",the text>>");
		}
		return "link:" + file(target) + "[" + title.replace("]", "\\]") + "]";
	}

	private static String file(String page) {
		return page.replace(".html", ".adoc");
	}

	/**
	 * Returns the text of an element, with its code as both AsciiDoc and Markdown have
	 * it.
	 */
	private static String text(Element element) {
		Element copy = element.clone();
		copy.select("code").forEach((code) -> code.replaceWith(new TextNode("`" + code.text() + "`")));
		return copy.text();
	}

}

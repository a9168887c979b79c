package io.redelay.guide;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

import org.jsoup.nodes.Element;
import tools.jackson.databind.json.JsonMapper;

/**
 * Collects what the search of the guide looks through: each section with its text.
 */
final class SearchIndex {

	private static final String NESTED = ".sect2, .sect3, .sect4";

	private final List<Synonyms> synonyms;

	private final List<Entry> entries = new ArrayList<>();

	SearchIndex(List<Synonyms> synonyms) {
		this.synonyms = synonyms;
	}

	/**
	 * Adds a chapter that {@link PageBody#shape} has not changed yet.
	 * @param door the door that it is behind
	 * @param chapter the chapter
	 */
	void add(Door door, Chapter chapter) {
		for (Element section : chapter.body().select(".sect1, " + NESTED)) {
			Element heading = section.selectFirst("[id]");
			if (heading == null) {
				throw new GuideException("A section of the chapter '" + chapter.title() + "' has no anchor.");
			}
			String id = heading.id();
			boolean first = id.equals(chapter.id());
			this.entries.add(new Entry(first ? chapter.page() : chapter.page() + "#" + id, id, door.title(),
					chapter.title(), first ? "" : heading.text(), text(section), chapter.weight(), code(section)));
		}
	}

	private static String text(Element section) {
		Element own = own(section);
		own.select("pre").remove();
		return own.text();
	}

	private static String code(Element section) {
		return own(section).select("pre").text();
	}

	private static Element own(Element section) {
		Element own = section.clone();
		own.children().select(NESTED).remove();
		Element heading = own.selectFirst("[id]");
		if (heading != null) {
			heading.remove();
		}
		return own;
	}

	/**
	 * Returns the index as a script: a page that was opened from a file may load a
	 * script, but must not fetch data.
	 * @return the script
	 * @throws GuideException if a meaning names a section that is not there
	 */
	String script() {
		Set<String> anchors = this.entries.stream().map(Entry::anchor).collect(Collectors.toSet());
		for (Synonyms meaning : this.synonyms) {
			if (!anchors.containsAll(meaning.anchors())) {
				throw new GuideException("The synonyms lead to a section that no chapter has, one of "
						+ String.join(", ", meaning.anchors()) + ": " + String.join(", ", meaning.words()));
			}
		}
		return "window.guideIndex = " + JsonMapper.shared().writeValueAsString(new Content(this.entries, this.synonyms))
				+ ";\n";
	}

	/**
	 * What the script has.
	 *
	 * @param entries the sections
	 * @param synonyms the words that are taken for each other
	 */
	record Content(List<Entry> entries, List<Synonyms> synonyms) {

	}

	/**
	 * A section.
	 *
	 * @param page where it is
	 * @param anchor its anchor
	 * @param door the title of the door that its chapter is behind
	 * @param chapter the title of its chapter
	 * @param section its own title, empty for what stands before the first section
	 * @param text its text without its code, and without that of the sections in it
	 * @param weight how much a match in it weighs
	 * @param code its code, in which is searched and of which nothing is shown
	 */
	record Entry(String page, String anchor, String door, String chapter, String section, String text, double weight,
			String code) {

	}

}

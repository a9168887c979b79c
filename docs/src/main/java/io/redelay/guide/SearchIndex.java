package io.redelay.guide;

import java.util.ArrayList;
import java.util.List;

import org.jsoup.nodes.Element;
import tools.jackson.databind.json.JsonMapper;

/**
 * Collects what the search of the guide looks through: each section with its text.
 */
final class SearchIndex {

	private static final String NESTED = ".sect2, .sect3, .sect4";

	private final List<Entry> entries = new ArrayList<>();

	/**
	 * Adds a chapter that {@link PageBody#shape} has not changed yet.
	 * @param chapter the chapter
	 */
	void add(Chapter chapter) {
		for (Element section : chapter.body().select(".sect1, " + NESTED)) {
			Element heading = section.selectFirst("[id]");
			if (heading == null) {
				throw new GuideException("A section of the chapter '" + chapter.title() + "' has no anchor.");
			}
			String id = heading.id();
			boolean first = id.equals(chapter.id());
			this.entries.add(new Entry(first ? chapter.page() : chapter.page() + "#" + id, chapter.title(),
					first ? "" : heading.text(), text(section)));
		}
	}

	private static String text(Element section) {
		Element own = section.clone();
		own.children().select(NESTED).remove();
		Element heading = own.selectFirst("[id]");
		if (heading != null) {
			heading.remove();
		}
		return own.text();
	}

	/**
	 * Returns the index as a script: a page that was opened from a file may load a
	 * script, but must not fetch data.
	 * @return the script
	 */
	String script() {
		return "window.guideIndex = " + JsonMapper.shared().writeValueAsString(this.entries) + ";\n";
	}

	/**
	 * A section.
	 *
	 * @param page where it is
	 * @param chapter the title of its chapter
	 * @param section its own title, empty for what stands before the first section
	 * @param text its text without that of the sections in it
	 */
	record Entry(String page, String chapter, String section, String text) {

	}

}

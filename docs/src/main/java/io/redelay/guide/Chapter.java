package io.redelay.guide;

import java.util.List;

import org.jsoup.nodes.Element;

/**
 * A chapter of the guide, which becomes a page.
 *
 * @param id the anchor of the chapter, which names its page
 * @param title the title, as text
 * @param group the title of the group that the chapter belongs to behind its door, or
 * empty
 * @param weight how much a match of the search weighs that is on this page
 * @param unfolded whether the first page lists its sections, as of recipes
 * @param body what Asciidoctor made of it: its first element is the heading
 */
record Chapter(String id, String title, String group, double weight, boolean unfolded, Element body) {

	String page() {
		return this.id + ".html";
	}

	/**
	 * Returns the headings of the chapter's sections.
	 * @return elements with an anchor and a text
	 */
	List<Element> sections() {
		return this.body.select(".sect2 > [id]");
	}

}

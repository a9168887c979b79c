package io.redelay.guide;

import java.util.ArrayList;
import java.util.List;

import org.jsoup.nodes.Element;

/**
 * Makes of a chapter of a book what a page shows.
 */
final class PageBody {

	private PageBody() {
	}

	/**
	 * Changes a chapter: its title becomes the heading of a page, and what may be wider
	 * than a phone gets a box that scrolls by itself.
	 * @param body the chapter
	 */
	static void shape(Element body) {
		raiseHeadings(body);
		for (Element table : body.select("table.tableblock")) {
			box(table, "table");
		}
		for (Element image : body.select(".imageblock img")) {
			image.attr("loading", "lazy");
			box(image, "picture");
		}
		for (Element listing : body.select("pre")) {
			reachByKeyboard(listing);
		}
	}

	private static void raiseHeadings(Element body) {
		List<Element> headings = new ArrayList<>(body.select("h2, h3, h4, h5"));
		for (Element heading : headings) {
			int level = heading.tagName().charAt(1) - '0';
			heading.tagName("h" + (level - 1));
		}
	}

	private static void box(Element wide, String what) {
		Element box = new Element("div").addClass("scroll").addClass("scroll-" + what);
		wide.replaceWith(box);
		box.appendChild(wide);
		reachByKeyboard(box);
	}

	/**
	 * Lets the arrow keys scroll something, too.
	 */
	private static void reachByKeyboard(Element scrolled) {
		scrolled.attr("tabindex", "0");
	}

}

package io.redelay.guide;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import org.jsoup.Jsoup;
import org.jsoup.nodes.Element;
import org.jsoup.parser.Parser;

/**
 * Makes of a chapter of a book what a page shows.
 */
final class PageBody {

	private PageBody() {
	}

	/**
	 * Changes a chapter: its title becomes the heading of a page, its pictures take the
	 * colours of the page, and what may be wider than a phone gets a box that scrolls by
	 * itself.
	 * @param body the chapter
	 * @param images the folder of the images
	 * @throws IOException if a picture cannot be read
	 */
	static void shape(Element body, Path images) throws IOException {
		raiseHeadings(body);
		for (Element table : body.select("table.tableblock")) {
			box(table, "table");
		}
		for (Element image : body.select(".imageblock img")) {
			Path file = images.resolveSibling(image.attr("src"));
			if (!Files.exists(file)) {
				throw new GuideException("There is no image " + image.attr("src") + ".");
			}
			if (!inline(image, file)) {
				image.attr("loading", "lazy");
				box(image, "picture");
			}
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

	/**
	 * Puts a picture into the page, whose variables then are its colours. As a file it
	 * has its own, for readers on a code host.
	 */
	private static boolean inline(Element image, Path file) throws IOException {
		if (!image.attr("src").endsWith(".svg")) {
			return false;
		}
		Element picture = Jsoup.parse(Files.readString(file), Parser.xmlParser())
			.selectFirst("svg." + PictureMain.CLASS);
		if (picture == null) {
			return false;
		}
		picture.select("style, title").remove();
		picture.attr("role", "img").attr("aria-label", image.attr("alt"));
		image.replaceWith(picture);
		return true;
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

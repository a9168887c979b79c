package io.redelay.guide;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

import org.jsoup.Jsoup;
import org.jsoup.nodes.Element;
import org.jsoup.parser.Parser;

/**
 * Makes of a chapter of a book what a page shows.
 */
final class PageBody {

	/**
	 * What Asciidoctor makes of {@code ->}, {@code --}, {@code ...}, {@code (C)} and the
	 * like.
	 */
	private static final Pattern REPLACED = Pattern.compile("[→⇒←⇐—’©®™\u200b\u2009]");

	private PageBody() {
	}

	/**
	 * Changes a chapter: its title becomes the heading of a page, its pictures take the
	 * colours of the page, and what may be wider than a phone gets a box that scrolls by
	 * itself.
	 * @param body the chapter
	 * @param images the folder of the images
	 * @throws IOException if a picture cannot be read
	 * @throws GuideException if a picture is not there, or Asciidoctor has taken code for
	 * markup
	 */
	static void shape(Element body, Path images) throws IOException {
		raiseHeadings(body);
		for (Element code : body.select("code:not(pre code)")) {
			refuseMarkup(code);
		}
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

	/**
	 * Refuses code in a sentence that is shown otherwise than it was written.
	 */
	private static void refuseMarkup(Element code) {
		String text = code.wholeText();
		boolean markup = code.children().stream().anyMatch((child) -> !child.nameIs("a"));
		if (markup || REPLACED.matcher(text).find() || closesTooOften(text)) {
			throw new GuideException(
					"This code was taken for markup; write `+…+` around it in the text: " + code.outerHtml());
		}
	}

	/**
	 * Finds what {@code ((} and {@code ))}, the marks of an index, leave of a call.
	 */
	private static boolean closesTooOften(String code) {
		int open = 0;
		for (int i = 0; i < code.length() && open >= 0; i++) {
			open += (code.charAt(i) == '(') ? 1 : (code.charAt(i) == ')') ? -1 : 0;
		}
		return open < 0;
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

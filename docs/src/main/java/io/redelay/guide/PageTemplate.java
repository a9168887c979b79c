package io.redelay.guide;

import java.util.List;
import java.util.stream.Collectors;

import org.jsoup.nodes.Element;
import org.jsoup.nodes.Entities;
import org.jspecify.annotations.Nullable;

/**
 * Puts around a text what all pages have: the head, the contents and the ways to the
 * neighbours.
 */
final class PageTemplate {

	private final Guide guide;

	private final String version;

	PageTemplate(Guide guide, String version) {
		this.guide = guide;
		this.version = version;
	}

	String chapter(Door door, Chapter chapter) {
		List<Chapter> chapters = door.chapters();
		int place = chapters.indexOf(chapter);
		String neighbours = "<nav class=\"neighbours\" aria-label=\"Neighbours\">"
				+ ((place == 0) ? "<span></span>" : neighbour(chapters.get(place - 1), "prev", "Previous"))
				+ ((place == chapters.size() - 1) ? "" : neighbour(chapters.get(place + 1), "next", "Next"))
				+ "</nav>\n";
		chapter.body().expectFirst("h1").after(onThisPage(chapter));
		return page(chapter.title() + " · " + this.guide.title(), chapter,
				trail(door, chapter) + chapter.body().html() + neighbours);
	}

	private String trail(Door door, Chapter chapter) {
		String group = chapter.group().isEmpty() ? "" : "<li>" + escape(chapter.group()) + "</li>";
		return "<nav class=\"trail\" aria-label=\"Breadcrumbs\"><ol><li><a href=\"index.html\">"
				+ escape(this.guide.title()) + "</a></li><li>" + link("index.html#" + door.id(), door.title()) + "</li>"
				+ group + "</ol></nav>\n";
	}

	private static String onThisPage(Chapter chapter) {
		if (chapter.sections().size() < 2) {
			return "";
		}
		return "<details class=\"sections\"><summary>On this page</summary>\n<nav aria-label=\"On this page\">"
				+ sections(chapter, "") + "</nav></details>\n";
	}

	private static String sections(Chapter chapter, String page) {
		return chapter.sections()
			.stream()
			.map((section) -> "<li>" + link(page + "#" + section.id(), section.text()) + "</li>")
			.collect(Collectors.joining("\n", "<ul>\n", "</ul>"));
	}

	String index() {
		StringBuilder body = new StringBuilder("<h1>").append(escape(this.guide.title()))
			.append("</h1>\n")
			.append(this.guide.preamble().html())
			.append("<ul class=\"doors\">\n");
		for (Door door : this.guide.doors()) {
			body.append("<li>")
				.append(link("#" + door.id(), door.title()))
				.append(door.intro().html())
				.append("</li>\n");
		}
		body.append("</ul>\n");
		for (Door door : this.guide.doors()) {
			body.append("<section class=\"door\">\n<h2 id=\"%s\">%s</h2>\n".formatted(door.id(), escape(door.title())));
			door.groups()
				.forEach((group, chapters) -> body.append(group.isEmpty() ? "" : "<h3>" + escape(group) + "</h3>\n")
					.append(chapters.stream()
						.map((chapter) -> "<li>" + link(chapter.page(), chapter.title())
								+ (chapter.unfolded() ? sections(chapter, chapter.page()) : "") + "</li>")
						.collect(Collectors.joining("\n", "<ul class=\"chapters\">\n", "\n</ul>\n"))));
			body.append("</section>\n");
		}
		return page(this.guide.title(), null, body.toString());
	}

	private String page(String title, @Nullable Chapter current, String body) {
		return """
				<!DOCTYPE html>
				<html lang="en">
				<head>
				<meta charset="utf-8">
				<meta name="viewport" content="width=device-width, initial-scale=1">
				<title>%s</title>
				<link rel="stylesheet" href="guide.css">
				<script src="theme.js"></script>
				<script src="search.js" defer></script>
				<script src="guide.js" defer></script>
				</head>
				<body data-version="%s">
				<a class="skip" href="#guide-text">To the text</a>
				<header>
				<a class="home" href="index.html">%s</a>
				<label class="version"><span>Version</span><select><option>%s</option></select></label>
				<search hidden><label><span>Search</span>
				<input type="search" placeholder="Search" autocomplete="off" spellcheck="false" enterkeyhint="go"></label>
				<div class="results"><p class="found" role="status"></p><ol></ol></div></search>
				<button class="theme" type="button" hidden></button>
				</header>
				<details class="contents"><summary>Contents</summary>
				<nav aria-label="Contents">
				%s</nav></details>
				<main id="guide-text">
				<p class="other-version" hidden></p>
				%s</main>
				</body>
				</html>
				"""
			.formatted(escape(title), escape(this.version), escape(this.guide.title()), escape(this.version),
					contents(current), body);
	}

	private String contents(@Nullable Chapter current) {
		StringBuilder contents = new StringBuilder();
		for (Door door : this.guide.doors()) {
			contents.append("<details")
				.append((current == null || door.chapters().contains(current)) ? " open" : "")
				.append("><summary>")
				.append(escape(door.title()))
				.append("</summary>\n");
			door.groups().forEach((group, chapters) -> {
				contents.append(group.isEmpty() ? "" : "<p>" + escape(group) + "</p>\n").append("<ul>\n");
				for (Chapter chapter : chapters) {
					contents.append("<li><a href=\"")
						.append(escape(chapter.page()))
						.append(chapter.equals(current) ? "\" aria-current=\"page\">" : "\">")
						.append(escape(chapter.title()))
						.append("</a></li>\n");
				}
				contents.append("</ul>\n");
			});
			contents.append("</details>\n");
		}
		return contents.toString();
	}

	private static String neighbour(Chapter chapter, String relation, String word) {
		return "<a href=\"" + escape(chapter.page()) + "\" rel=\"" + relation + "\"><span>" + word + "</span> "
				+ escape(chapter.title()) + "</a>";
	}

	private static String link(String target, String text) {
		return "<a href=\"" + escape(target) + "\">" + escape(text) + "</a>";
	}

	private static String escape(String text) {
		return Entities.escape(text);
	}

}

package io.redelay.guide;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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

	PageTemplate(Guide guide) {
		this.guide = guide;
	}

	String chapter(Chapter chapter) {
		List<Chapter> chapters = this.guide.chapters();
		int place = chapters.indexOf(chapter);
		String neighbours = "<nav class=\"neighbours\" aria-label=\"Neighbours\">"
				+ ((place == 0) ? "<span></span>" : link(chapters.get(place - 1), "prev", "← "))
				+ ((place == chapters.size() - 1) ? "" : link(chapters.get(place + 1), "next", "")) + "</nav>\n";
		return page(chapter.title() + " · " + this.guide.title(), chapter, chapter.body().html() + neighbours);
	}

	String index() {
		StringBuilder body = new StringBuilder("<h1>").append(escape(this.guide.title()))
			.append("</h1>\n")
			.append(this.guide.preamble().html());
		byPart().forEach((part, chapters) -> {
			body.append("<h2>").append(escape(part)).append("</h2>\n<dl class=\"chapters\">\n");
			chapters.forEach((chapter) -> body.append("<dt>")
				.append(link(chapter, null, ""))
				.append("</dt><dd>")
				.append(chapter.sections()
					.stream()
					.map((section) -> link(chapter.page(), section))
					.collect(Collectors.joining(" · ")))
				.append("</dd>\n"));
			body.append("</dl>\n");
		});
		return page(this.guide.title(), null, body.toString());
	}

	private Map<String, List<Chapter>> byPart() {
		Map<String, List<Chapter>> parts = new LinkedHashMap<>();
		this.guide.chapters()
			.forEach((chapter) -> parts.computeIfAbsent(chapter.part(), (part) -> new ArrayList<>()).add(chapter));
		return parts;
	}

	private String page(String title, @Nullable Chapter current, String body) {
		return """
				<!DOCTYPE html>
				<html lang="en">
				<head>
				<meta charset="utf-8">
				<meta name="viewport" content="width=device-width, initial-scale=1">
				<meta name="color-scheme" content="light dark">
				<title>%s</title>
				<link rel="stylesheet" href="guide.css">
				<script src="guide.js" defer></script>
				</head>
				<body>
				<a class="skip" href="#content">To the text</a>
				<header>
				<a class="home" href="index.html">%s</a>
				<search hidden><label><span>Search</span>
				<input type="search" placeholder="Search (press /)" autocomplete="off" spellcheck="false"></label>
				<p class="found" role="status"></p><ol></ol></search>
				<details class="contents"><summary>Contents</summary>
				<nav aria-label="Contents">
				%s</nav></details>
				<script>document.querySelector('.contents').open = matchMedia('(min-width: 72rem)').matches</script>
				</header>
				<main id="content">
				%s</main>
				</body>
				</html>
				""".formatted(escape(title), escape(this.guide.title()), contents(current), body);
	}

	private String contents(@Nullable Chapter current) {
		StringBuilder contents = new StringBuilder();
		byPart().forEach((part, chapters) -> {
			contents.append("<p>").append(escape(part)).append("</p>\n<ul>\n");
			for (Chapter chapter : chapters) {
				contents.append("<li>").append(link(chapter, chapter.equals(current) ? "current" : null, ""));
				if (chapter.equals(current)) {
					contents.append(sections(chapter));
				}
				contents.append("</li>\n");
			}
			contents.append("</ul>\n");
		});
		return contents.toString();
	}

	private static String sections(Chapter chapter) {
		return chapter.sections().isEmpty() ? ""
				: chapter.sections()
					.stream()
					.map((section) -> "<li>" + link("", section) + "</li>")
					.collect(Collectors.joining("\n", "<ul>\n", "</ul>"));
	}

	private static String link(String page, Element section) {
		return "<a href=\"" + escape(page) + "#" + escape(section.id()) + "\">" + escape(section.text()) + "</a>";
	}

	private static String link(Chapter chapter, @Nullable String kind, String before) {
		String attribute = switch ((kind != null) ? kind : "") {
			case "current" -> " aria-current=\"page\"";
			case "" -> "";
			default -> " rel=\"" + kind + "\"";
		};
		String after = "next".equals(kind) ? " →" : "";
		return "<a href=\"" + escape(chapter.page()) + "\"" + attribute + ">" + before + escape(chapter.title()) + after
				+ "</a>";
	}

	private static String escape(String text) {
		return Entities.escape(text);
	}

}

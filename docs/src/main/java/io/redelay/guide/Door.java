package io.redelay.guide;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

import org.jsoup.nodes.Element;

/**
 * A way into the guide, as "Learn" or "Do": one or several parts of the book, whose
 * titles are {@code Door} or {@code Door: group}.
 *
 * @param title the title
 * @param intro what the book says of it before its first chapter
 * @param chapters the chapters behind it, in their order
 */
record Door(String title, Element intro, List<Chapter> chapters) {

	/**
	 * Returns the anchor of the door on the first page.
	 * @return the anchor
	 */
	String id() {
		return "door-" + this.title.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]+", "-");
	}

	/**
	 * Returns the chapters by their group.
	 * @return chapters by the title of the group, which is empty for those without
	 */
	Map<String, List<Chapter>> groups() {
		return this.chapters.stream()
			.collect(Collectors.groupingBy(Chapter::group, LinkedHashMap::new, Collectors.toList()));
	}

}

package io.redelay.guide;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.jsoup.nodes.Element;

/**
 * Knows on which page an anchor is, and leads links there.
 */
final class Links {

	private final Map<String, String> targets;

	private Links(Map<String, String> targets) {
		this.targets = targets;
	}

	/**
	 * Collects the anchors of all chapters.
	 * @param chapters the chapters
	 * @return where each anchor is
	 * @throws GuideException if two anchors are equal
	 */
	static Links of(List<Chapter> chapters) {
		Map<String, String> targets = new HashMap<>();
		for (Chapter chapter : chapters) {
			for (Element anchored : chapter.body().select("[id]")) {
				String id = anchored.id();
				String target = id.equals(chapter.id()) ? chapter.page() : chapter.page() + "#" + id;
				String other = targets.put(id, target);
				if (other != null) {
					throw new GuideException("The anchor '" + id + "' is there twice: " + other + " and " + target
							+ ". Give one of the two sections an anchor of its own, as [[" + chapter.id() + "-" + id
							+ "]] above its title.");
				}
			}
		}
		return new Links(targets);
	}

	/**
	 * Returns where each anchor is.
	 * @return page and fragment by anchor
	 */
	Map<String, String> targets() {
		return Map.copyOf(this.targets);
	}

	/**
	 * Leads the links of a text to the pages that have their anchors.
	 * @param name what the text is called in an error
	 * @param text the text, which is changed
	 * @throws GuideException if it refers to what is not there
	 */
	void resolve(String name, Element text) {
		List<String> missing = new ArrayList<>();
		for (Element link : text.select("a[href^=#]")) {
			String anchor = link.attr("href").substring(1);
			String target = this.targets.get(anchor);
			if (target == null) {
				missing.add(anchor);
			}
			else {
				link.attr("href", target);
			}
		}
		if (!missing.isEmpty()) {
			throw new GuideException(
					"The chapter '" + name + "' refers to anchors that no chapter has: " + String.join(", ", missing));
		}
	}

}

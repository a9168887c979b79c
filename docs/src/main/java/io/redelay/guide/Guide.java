package io.redelay.guide;

import java.util.List;

import org.jsoup.nodes.Element;

/**
 * The guide as it was read.
 *
 * @param title the title
 * @param preamble what stands before the first door
 * @param doors the doors in their order
 */
record Guide(String title, Element preamble, List<Door> doors) {

	/**
	 * Returns the chapters behind all doors.
	 * @return the chapters in their order
	 */
	List<Chapter> chapters() {
		return this.doors.stream().flatMap((door) -> door.chapters().stream()).toList();
	}

}

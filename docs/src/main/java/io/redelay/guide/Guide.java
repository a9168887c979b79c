package io.redelay.guide;

import java.util.List;
import java.util.Map;

import org.jsoup.nodes.Element;

/**
 * The guide as it was read.
 *
 * @param title the title
 * @param preamble what stands before the first door
 * @param doors the doors in their order
 * @param texts the text of each chapter by its anchor: lines of AsciiDoc, in which what
 * is included is in place
 */
record Guide(String title, Element preamble, List<Door> doors, Map<String, List<String>> texts) {

	/**
	 * Returns the chapters behind all doors.
	 * @return the chapters in their order
	 */
	List<Chapter> chapters() {
		return this.doors.stream().flatMap((door) -> door.chapters().stream()).toList();
	}

}

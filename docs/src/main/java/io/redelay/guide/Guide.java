package io.redelay.guide;

import java.util.List;

import org.jsoup.nodes.Element;

/**
 * The guide as it was read.
 *
 * @param title the title
 * @param preamble what stands before the first chapter
 * @param chapters the chapters in their order
 */
record Guide(String title, Element preamble, List<Chapter> chapters) {

}

package io.redelay.benchmarks.chart;

import java.util.List;
import java.util.Map;

import tools.jackson.databind.JsonNode;

/**
 * Shows what one benchmark has written, as charts or as tables.
 */
interface Drawing {

	/**
	 * The name of the file with the lines of JSON.
	 */
	String file();

	/**
	 * Draws charts, or draws up tables.
	 * @param lines the lines, the first of which says what all others are true of
	 * @return the text of each, by its name
	 */
	Map<String, String> draw(List<JsonNode> lines);

}

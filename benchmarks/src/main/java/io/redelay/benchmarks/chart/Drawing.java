package io.redelay.benchmarks.chart;

import java.util.List;
import java.util.Map;

import tools.jackson.databind.JsonNode;

/**
 * Draws what one benchmark has written.
 */
interface Drawing {

	/**
	 * The name of the file with the lines of JSON.
	 */
	String file();

	/**
	 * Draws charts.
	 * @param lines the lines, the first of which says what all others are true of
	 * @return the text of each chart, by its name
	 */
	Map<String, String> draw(List<JsonNode> lines);

}

package io.redelay.benchmarks.chart;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

import io.redelay.benchmarks.peers.item.Figure;
import tools.jackson.databind.JsonNode;

/**
 * What a comparison has written of one item of one contender in one round.
 *
 * @param run which of the runs in the file it is of: each begins with its surroundings
 * @param round the round, from 1; 0 is the warm-up
 * @param item the name of the item
 * @param title the title of the item
 * @param contender the name of the contender
 * @param figures what was measured
 * @param missing why there are no figures, or empty
 */
record PeerLine(int run, int round, String item, String title, String contender, Map<Figure, Double> figures,
		String missing) {

	static List<PeerLine> of(List<JsonNode> lines) {
		List<PeerLine> outcomes = new ArrayList<>();
		int run = 0;
		for (JsonNode line : lines) {
			if (line.has("figures")) {
				outcomes.add(of(run, line));
			}
			else {
				run++;
			}
		}
		return outcomes;
	}

	private static PeerLine of(int run, JsonNode line) {
		Map<Figure, Double> figures = new EnumMap<>(Figure.class);
		line.get("figures")
			.properties()
			.forEach((figure) -> figures.put(Figure.valueOf(figure.getKey()), figure.getValue().asDouble()));
		String item = line.get("item").asString();
		return new PeerLine(run, line.get("round").asInt(), item, line.path("title").asString(item),
				line.get("contender").asString(), figures, line.path("missing").asString(""));
	}

	boolean isMeasured() {
		return !this.figures.isEmpty();
	}

	boolean isOfSameRound(PeerLine other) {
		return this.run == other.run && this.round == other.round;
	}

}

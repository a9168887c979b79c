package io.redelay.benchmarks.chart;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.redelay.benchmarks.peers.item.Figure;
import tools.jackson.databind.JsonNode;

/**
 * Draws a chart of each item from what a comparison has written.
 */
final class PeerCharts implements Drawing {

	private static final List<String> DRAWN = List.of("PER_SECOND", "P99", "BYTES", "REQUESTS_PER_SECOND");

	@Override
	public String file() {
		return "peers.jsonl";
	}

	@Override
	public Map<String, String> draw(List<JsonNode> lines) {
		Map<String, JsonNode> titles = new LinkedHashMap<>();
		Map<String, Map<String, List<Double>>> values = new LinkedHashMap<>();
		for (JsonNode outcome : lines) {
			if (!outcome.has("figures")) {
				continue;
			}
			String item = outcome.get("item").asString();
			titles.putIfAbsent(item, outcome.get("title"));
			for (String figure : DRAWN) {
				JsonNode value = outcome.get("figures").get(figure);
				if (value != null) {
					values.computeIfAbsent(item + "/" + figure, (key) -> new LinkedHashMap<>())
						.computeIfAbsent(outcome.get("contender").asString(), (key) -> new ArrayList<>())
						.add(value.asDouble());
				}
			}
		}
		Map<String, String> charts = new LinkedHashMap<>();
		values.forEach((key, bars) -> {
			String[] names = key.split("/", 2);
			JsonNode title = titles.get(names[0]);
			charts.put("peers-" + names[0],
					BarChart
						.of(((title != null) ? title.asString() : names[0]) + ": " + Figure.valueOf(names[1]).title(),
								bars)
						.svg());
		});
		return charts;
	}

}

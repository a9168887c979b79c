package io.redelay.benchmarks.chart;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.redelay.benchmarks.peers.contender.Contender;
import io.redelay.benchmarks.peers.contender.Contenders;
import tools.jackson.databind.JsonNode;

/**
 * Draws up a table of each item from what a comparison has written, with its chart above
 * it. Items whose names begin with the same word go into one file.
 */
final class PeerTables implements Drawing {

	@Override
	public String file() {
		return "peers.jsonl";
	}

	@Override
	public Map<String, String> draw(List<JsonNode> lines) {
		List<PeerLine> outcomes = PeerLine.of(lines);
		if (outcomes.stream().noneMatch(PeerLine::isMeasured)) {
			return Map.of();
		}
		List<String> contenders = contenders(outcomes);
		Set<String> charts = new PeerCharts().draw(lines).keySet();
		Map<String, StringBuilder> files = new LinkedHashMap<>();
		items(outcomes).forEach((name, ofItem) -> {
			PeerItem item = new PeerItem(ofItem, contenders);
			StringBuilder file = files.computeIfAbsent("peers-" + name.split("-", 2)[0], (key) -> new StringBuilder());
			if (charts.contains("peers-" + name)) {
				file.append(Adoc.text("image::peers-%s.svg[\"%s\"]%n%n", name, Adoc.escape(item.title())));
			}
			file.append(item.adoc()).append('\n');
		});
		Map<String, String> texts = new LinkedHashMap<>();
		texts.put("peers-surroundings", surroundings(lines, outcomes));
		files.forEach((name, file) -> texts.put(name, file.toString()));
		return texts;
	}

	/**
	 * All that have done at least something, in the order of the benchmark.
	 */
	private static List<String> contenders(List<PeerLine> outcomes) {
		Set<String> measured = outcomes.stream()
			.filter(PeerLine::isMeasured)
			.map(PeerLine::contender)
			.collect(Collectors.toCollection(LinkedHashSet::new));
		Stream<String> known = Contenders.all(Path.of(""), null)
			.stream()
			.map(Contender::name)
			.filter(measured::contains);
		return Stream.concat(known, measured.stream()).distinct().toList();
	}

	/**
	 * The lines of each item. The warm-up, of which there are only those that are
	 * missing, does not decide which item is first.
	 */
	private static Map<String, List<PeerLine>> items(List<PeerLine> outcomes) {
		Map<String, List<PeerLine>> items = new LinkedHashMap<>();
		for (boolean warmUp : new boolean[] { false, true }) {
			outcomes.stream()
				.filter((line) -> (line.round() == 0) == warmUp)
				.forEach((line) -> items.computeIfAbsent(line.item(), (item) -> new ArrayList<>()).add(line));
		}
		return items;
	}

	/**
	 * Says of each run when and on what it was. If there are several, it also says of
	 * which items.
	 */
	private static String surroundings(List<JsonNode> lines, List<PeerLine> outcomes) {
		List<JsonNode> runs = lines.stream().filter((line) -> !line.has("figures")).toList();
		StringBuilder text = new StringBuilder();
		for (int run = 1; run <= runs.size(); run++) {
			Set<String> items = new TreeSet<>();
			for (PeerLine line : outcomes) {
				if (line.run() == run && line.isMeasured()) {
					items.add(Adoc.code(line.item()));
				}
			}
			if (items.isEmpty()) {
				continue;
			}
			JsonNode surroundings = runs.get(run - 1);
			String what = Adoc.text("%s; %,d messages for the fastest, %d handlers at once", Adoc.machine(surroundings),
					surroundings.get("size").asInt(), surroundings.get("concurrency").asInt());
			text.append(Adoc.text((runs.size() > 1) ? "* %s: %s%n" : "%2$s.%n", String.join(", ", items), what));
		}
		return text.toString();
	}

}

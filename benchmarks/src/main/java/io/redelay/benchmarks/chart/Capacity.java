package io.redelay.benchmarks.chart;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.DoubleFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reckons from what a message costs what many a second take. Nothing of it is measured.
 *
 * @param costs the costs by their names
 */
record Capacity(Map<String, Double> costs) {

	private static final Pattern COST = Pattern.compile("^:([a-z-]+): ([0-9.]+)$", Pattern.MULTILINE);

	private static final List<Integer> RATES = List.of(10_000, 100_000, 1_000_000);

	private static final double SECOND = 1e6;

	/**
	 * Which part of a core is planned with.
	 */
	private static final double LOAD = 0.5;

	private static final int OUTAGE = 3600;

	private static final double MEGA = 1e6;

	private static final double GIGA = 1e9;

	/**
	 * Reads costs.
	 * @param attributes attributes of AsciiDoc
	 */
	static Capacity of(String attributes) {
		Map<String, Double> costs = new HashMap<>();
		Matcher cost = COST.matcher(attributes);
		while (cost.find()) {
			costs.put(cost.group(1), Double.valueOf(cost.group(2)));
		}
		return new Capacity(costs);
	}

	/**
	 * Writes what follows for one core, and other figures for the text, as attributes.
	 */
	String rates() {
		double batch = cost("redis-send-batch") + cost("redis-handle-batch");
		double single = cost("redis-send-single") + cost("redis-handle-single");
		// What listeners have not handled is handled beside what is still sent.
		double catchUp = OUTAGE * cost("redis-handle-batch") * LOAD / (batch * (1 - LOAD)) / 60;
		return Adoc.text("""
				// Written by io.redelay.benchmarks.chart.Charts, from costs.adoc.
				:redis-batch: %.1f
				:redis-single: %.0f
				:core-batch: %s
				:core-single: %s
				:planned-batch: %s
				:planned-single: %s
				:catch-up: %.0f
				""", batch, single, rounded(SECOND / batch), rounded(SECOND / single), rounded(LOAD * SECOND / batch),
				rounded(LOAD * SECOND / single), catchUp);
	}

	/**
	 * Draws up the table of what so many messages a second take.
	 */
	String table() {
		double batch = cost("redis-send-batch") + cost("redis-handle-batch");
		double single = cost("redis-send-single") + cost("redis-handle-single");
		double client = cost("client-send") + cost("client-handle");
		double aof = cost("redis-aof");
		List<List<String>> rows = new ArrayList<>();
		rows.add(row("Cores of Redis at work, full batches", (rate) -> cores(rate, batch)));
		rows.add(row("Masters, half of each core in use", (rate) -> masters(rate, batch)));
		rows.add(row("Masters with an append-only file", (rate) -> masters(rate, batch * aof)));
		rows.add(row("Cores of Redis at work, one by one", (rate) -> cores(rate, single)));
		rows.add(row("Masters, one by one", (rate) -> masters(rate, single)));
		rows.add(row("Cores of clients at work, without what handlers do", (rate) -> cores(rate, client)));
		rows.add(row("Cores of clients, half of each in use", (rate) -> masters(rate, client)));
		rows.add(row("Messages of an hour without listeners, million",
				(rate) -> Adoc.text("%,.0f", rate * OUTAGE / MEGA)));
		rows.add(row("Their memory if they wait, GB", (rate) -> backlog(rate, "memory-waiting")));
		rows.add(row("Their memory if they are scheduled, GB", (rate) -> backlog(rate, "memory-scheduled")));
		rows.add(row("Their memory if they are packed, GB", (rate) -> backlog(rate, "memory-packed")));
		rows.add(row("More cores of Redis if each is packed and comes near",
				(rate) -> cores(rate, cost("redis-pack") + cost("redis-near"))));
		for (String form : List.of("batch", "single")) {
			String how = form.equals("batch") ? "full batches" : "one by one";
			rows.add(row("Network to Redis, MB/s, " + how, (rate) -> network(rate, "wire-in-" + form)));
			rows.add(row("Network from Redis to clients, MB/s, " + how, (rate) -> network(rate, "wire-out-" + form)));
			rows.add(row("To each replica, and to the disk, MB/s, " + how,
					(rate) -> network(rate, "wire-replica-" + form)));
		}
		return new Table("What so many messages a second take, reckoned",
				List.of("Messages a second", "10,000", "100,000", "1,000,000"), rows)
			.adoc();
	}

	private static List<String> row(String name, DoubleFunction<String> value) {
		List<String> cells = new ArrayList<>(List.of(name));
		RATES.forEach((rate) -> cells.add(value.apply(rate)));
		return cells;
	}

	private static String cores(double rate, double micros) {
		return number(rate * micros / SECOND);
	}

	private static String masters(double rate, double micros) {
		return Adoc.text("%,.0f", Math.ceil(rate * micros / SECOND / LOAD));
	}

	private String backlog(double rate, String memory) {
		return number(rate * OUTAGE * cost(memory) / GIGA);
	}

	private String network(double rate, String bytes) {
		return number(rate * cost(bytes) / MEGA);
	}

	private static String number(double value) {
		return Adoc.text((value < 10) ? "%.1f" : "%,.0f", value);
	}

	/**
	 * Two digits and not more: the costs are no better.
	 */
	private static String rounded(double value) {
		double unit = Math.pow(10, Math.floor(Math.log10(value)) - 1);
		return Adoc.text("%,.0f", Math.floor(value / unit) * unit);
	}

	private double cost(String name) {
		Double cost = this.costs.get(name);
		if (cost == null) {
			throw new IllegalArgumentException("There is no ':%s:' among the costs".formatted(name));
		}
		return cost;
	}

}

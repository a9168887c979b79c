package io.redelay.benchmarks;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * What the command line says, as {@code --name=value}, or as {@code --name} for what is
 * on or off.
 *
 * @param values the values by their names
 * @since 0.1.0
 */
public record Arguments(Map<String, String> values) {

	/**
	 * Reads the command line.
	 * @param defaults what holds where it says nothing; {@code false} for what is on or
	 * off
	 * @param args the command line
	 * @return what it says
	 */
	public static Arguments parse(Map<String, String> defaults, String... args) {
		Map<String, String> values = new LinkedHashMap<>(defaults);
		for (String arg : args) {
			String[] pair = arg.replaceFirst("^--", "").split("=", 2);
			String otherwise = defaults.get(pair[0]);
			boolean complete = pair.length == 2 || "false".equals(otherwise);
			if (otherwise == null || !complete) {
				throw new IllegalArgumentException(
						"'%s' is not '--name=value' with a name of %s".formatted(arg, defaults.keySet()));
			}
			values.put(pair[0], (pair.length == 2) ? pair[1] : "true");
		}
		return new Arguments(values);
	}

	/**
	 * Returns a number.
	 * @param name its name
	 * @return the number, which is at least 1
	 */
	public int number(String name) {
		return positive(name, text(name));
	}

	/**
	 * Returns numbers that have commas between them.
	 * @param name their name
	 * @return the numbers, each of which is at least 1
	 */
	public List<Integer> numbers(String name) {
		return Stream.of(text(name).split(",")).map((word) -> positive(name, word)).toList();
	}

	/**
	 * Returns whether something is on.
	 * @param name its name
	 * @return whether it is
	 */
	public boolean isOn(String name) {
		return Boolean.parseBoolean(text(name));
	}

	/**
	 * Returns a file.
	 * @param name its name
	 * @return the file
	 */
	public Path file(String name) {
		return Path.of(text(name)).toAbsolutePath();
	}

	private String text(String name) {
		return this.values.getOrDefault(name, "");
	}

	private static int positive(String name, String word) {
		int number = Integer.parseInt(word);
		if (number < 1) {
			throw new IllegalArgumentException("'--%s' must be at least 1: %d".formatted(name, number));
		}
		return number;
	}

}

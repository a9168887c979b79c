package io.redelay.queue.store;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import org.springframework.core.io.ClassPathResource;

/**
 * The scripts of the store, one a verb, with their includes put in and their comments
 * taken out.
 */
record LuaScripts(String register, String openSender, String send, String openLane, String claim, String renewLane,
		String closeLane) {

	private static final Pattern INCLUDE = Pattern.compile("(?m)^--@include (\\w+)$");

	static LuaScripts load() {
		return load(Map.of());
	}

	/**
	 * Loads the scripts with other text for some of the included files.
	 * @param replaced text by the name of the included file
	 * @return the scripts
	 */
	static LuaScripts load(Map<String, String> replaced) {
		Function<String, String> source = (name) -> {
			String text = replaced.get(name);
			return (text != null) ? text : read(name);
		};
		Function<String, String> script = (name) -> compact(INCLUDE.matcher(read(name))
			.replaceAll((include) -> Matcher.quoteReplacement(source.apply(include.group(1)))));
		return new LuaScripts(script.apply("register"), script.apply("open-sender"), script.apply("send"),
				script.apply("open-lane"), script.apply("claim"), script.apply("renew-lane"),
				script.apply("close-lane"));
	}

	private static String read(String name) {
		try {
			return new ClassPathResource(name + ".lua", LuaScripts.class).getContentAsString(StandardCharsets.UTF_8);
		}
		catch (IOException ex) {
			throw new UncheckedIOException("The script '" + name + ".lua' is not in the jar", ex);
		}
	}

	private static String compact(String text) {
		return text.lines()
			.map(String::strip)
			.filter((line) -> !line.isEmpty() && !line.startsWith("--"))
			.collect(Collectors.joining("\n"));
	}

}

package io.redelay.benchmarks.start;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

import io.redelay.benchmarks.RedisInfo;
import io.redelay.embedded.redis.RedisServer;
import org.jspecify.annotations.Nullable;

/**
 * Starts applications, each in a JVM of its own, on one Redis.
 *
 * @param server the Redis, which is emptied before each
 */
record StartProcess(RedisServer server) {

	/**
	 * What clients send themselves: other commands are called by scripts. A ping depends
	 * on the time that has passed.
	 */
	private static final Set<String> SENT = Set.of("eval", "evalsha", "eval_ro", "evalsha_ro", "script|load", "hello",
			"auth", "select", "client|setname", "client|setinfo", "client|list", "config|get", "info", "subscribe",
			"psubscribe");

	/**
	 * Starts an application, has it do its work, and ends it.
	 * @param kind the kind of the application
	 * @param earlier the folder with the classes of an earlier version, or {@code null}
	 * @param options options of the JVM
	 * @return what it took
	 */
	StartCost run(StartedKind kind, @Nullable Path earlier, String... options) {
		this.server.command("FLUSHALL");
		this.server.command("SCRIPT", "FLUSH");
		this.server.command("CONFIG", "RESETSTAT");
		long before = requests();
		try {
			Process process = new ProcessBuilder(command(kind, earlier, options)).redirectError(Redirect.INHERIT)
				.start();
			try (BufferedReader output = new BufferedReader(
					new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
					OutputStream input = process.getOutputStream()) {
				double[] ready = figures(output, "ready", kind);
				double requests = (double) requests() - before;
				input.write('\n');
				input.flush();
				double[] done = figures(output, "done", kind);
				return new StartCost(ready[0], ready[1], requests, done[0], done[1], done[2], done[3] / 1000,
						done[4] / 1000, done[5] / 1000);
			}
			finally {
				process.destroyForcibly();
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException("Cannot start an application with " + kind.title(), ex);
		}
	}

	private List<String> command(StartedKind kind, @Nullable Path earlier, String... options) {
		List<String> command = new ArrayList<>(
				List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx512m", "-cp",
						kind.classPath(earlier)
							.stream()
							.map(Path::toString)
							.collect(Collectors.joining(System.getProperty("path.separator")))));
		command.addAll(1, List.of(options));
		command.addAll(List.of(kind.application(), "--spring.data.redis.url=" + this.server.uri(),
				"--logging.level.root=error"));
		return command;
	}

	private static double[] figures(BufferedReader output, String word, StartedKind kind) throws IOException {
		List<String> lines = new ArrayList<>();
		String line = output.readLine();
		while (line != null) {
			if (line.startsWith(word + " ")) {
				String[] words = line.substring(word.length() + 1).split(" ");
				double[] figures = new double[words.length];
				for (int i = 0; i < words.length; i++) {
					figures[i] = Double.parseDouble(words[i]);
				}
				return figures;
			}
			lines.add(line);
			line = output.readLine();
		}
		throw new IllegalStateException("The application with " + kind.title() + " has ended: " + lines);
	}

	private long requests() {
		return RedisInfo.of(this.server, "commandstats")
			.values()
			.entrySet()
			.stream()
			.filter((entry) -> SENT.contains(entry.getKey().replaceFirst("^cmdstat_", "")))
			.mapToLong((entry) -> Long.parseLong(entry.getValue().replaceAll("calls=(\\d+),.*", "$1")))
			.sum();
	}

}

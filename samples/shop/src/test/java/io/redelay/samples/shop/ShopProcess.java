package io.redelay.samples.shop;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A shop in a JVM of its own, which can be killed.
 */
final class ShopProcess implements AutoCloseable {

	private static final Pattern PORT = Pattern.compile("Tomcat started on port (\\d+)");

	private final Process process;

	private final Path log;

	private ShopProcess(Process process, Path log) {
		this.process = process;
		this.log = log;
	}

	static ShopProcess start(Path log, List<String> arguments) throws IOException {
		List<String> command = new ArrayList<>();
		command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
		command.addAll(
				List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp", System.getProperty("java.class.path")));
		command.add(ShopApplication.class.getName());
		command.addAll(arguments);
		return new ShopProcess(
				new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start(), log);
	}

	ShopClient client() {
		awaitLog("Started ShopApplication");
		Matcher matcher = PORT.matcher(log());
		assertThat(matcher.find()).as(this::log).isTrue();
		return new ShopClient(Integer.parseInt(matcher.group(1)));
	}

	void awaitLog(String text) {
		await().atMost(Duration.ofMinutes(2)).until(() -> {
			assertThat(this.process.isAlive()).as(this::log).isTrue();
			return log().contains(text);
		});
	}

	String log() {
		try {
			return Files.readString(this.log);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Ends the process as {@code kill -9} does.
	 */
	@Override
	public void close() {
		this.process.destroyForcibly().onExit().join();
	}

}

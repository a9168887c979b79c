package io.redelay.queue.fault;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * An {@link Instance} in a JVM of its own, which can be killed, stopped and let go on.
 */
final class InstanceProcess implements AutoCloseable {

	private static final Path LOG = Path.of("target", "instance-processes.log");

	/**
	 * An instance lives for seconds, so its start is most of what it costs. The classes
	 * are verified in the JVM of the test.
	 */
	private static final List<String> QUICK_START = List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx256m",
			"-XX:+UnlockDiagnosticVMOptions", "-XX:-BytecodeVerificationRemote");

	private final Process process;

	private InstanceProcess(Process process) {
		this.process = process;
	}

	static InstanceProcess start(Class<?> listener, List<String> properties) {
		List<String> command = new ArrayList<>();
		command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
		command.addAll(QUICK_START);
		command.addAll(
				List.of("-cp", System.getProperty("java.class.path"), Instance.class.getName(), listener.getName()));
		command.addAll(properties);
		try {
			return new InstanceProcess(new ProcessBuilder(command).redirectErrorStream(true)
				.redirectOutput(ProcessBuilder.Redirect.appendTo(LOG.toFile()))
				.start());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	boolean isAlive() {
		return this.process.isAlive();
	}

	/**
	 * Ends it at once, as a crash would.
	 */
	void kill() {
		this.process.destroyForcibly();
		await();
	}

	/**
	 * Asks it to end, as a deployment does, and waits until it has.
	 * @return how long that took
	 */
	Duration terminate() {
		long start = System.nanoTime();
		signal("-TERM");
		await();
		return Duration.ofNanos(System.nanoTime() - start);
	}

	/**
	 * Stops it in its tracks, as a long pause of its garbage collector would.
	 */
	void pause() {
		signal("-STOP");
	}

	void resume() {
		signal("-CONT");
	}

	@Override
	public void close() {
		kill();
	}

	private void await() {
		try {
			if (!this.process.waitFor(3, TimeUnit.MINUTES)) {
				throw new IllegalStateException("The process " + this.process.pid() + " does not end");
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	private void signal(String signal) {
		try {
			int exit = new ProcessBuilder("kill", signal, Long.toString(this.process.pid())).inheritIO()
				.start()
				.waitFor();
			if (exit != 0) {
				throw new IllegalStateException("kill " + signal + " ended with " + exit);
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

}

package io.redelay.embedded.redis;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

/**
 * A running redis-server, a child of this JVM.
 */
final class RedisProcess {

	private static final Duration ANSWER = Duration.ofSeconds(1);

	private static final Duration END = Duration.ofSeconds(10);

	private final Process process;

	private final int port;

	private final @Nullable String password;

	private RedisProcess(Process process, int port, @Nullable String password) {
		this.process = process;
		this.port = port;
		this.password = password;
	}

	static RedisProcess start(List<String> command, Path directory, ServerLog log, int port, @Nullable String password,
			Duration timeout) {
		RedisProcess process = new RedisProcess(spawn(command, directory, log), port, password);
		KillWatch watch = KillWatch.ofProcess(process.pid());
		process.process.onExit().thenRun(watch::close);
		Deadline deadline = new Deadline(timeout);
		boolean started = deadline.await(() -> !process.isAlive() || process.isReady());
		if (started && process.isAlive()) {
			return process;
		}
		String reason = process.isAlive() ? "was not ready within %s".formatted(timeout)
				: "ended with exit code %d".formatted(process.process.exitValue());
		process.kill();
		throw new RedisStartException("redis-server on port %d %s".formatted(port, reason), log.tail());
	}

	private static Process spawn(List<String> command, Path directory, ServerLog log) {
		try {
			return new ProcessBuilder(command).directory(directory.toFile())
				.redirectErrorStream(true)
				.redirectOutput(ProcessBuilder.Redirect.appendTo(log.file().toFile()))
				.start();
		}
		catch (IOException ex) {
			throw new RedisStartException("Cannot execute '%s'".formatted(command.get(0)), "", ex);
		}
	}

	/**
	 * Whether this very process answers on the port, and has loaded its data.
	 */
	private boolean isReady() {
		try (RespConnection connection = RespConnection.open(this.port, this.password, ANSWER)) {
			String info = connection.text("INFO");
			return info.contains("process_id:%d\r\n".formatted(pid())) && !info.contains("loading:1\r\n");
		}
		catch (IOException | RedisErrorException ex) {
			return false;
		}
	}

	boolean isAlive() {
		return this.process.isAlive();
	}

	long pid() {
		return this.process.pid();
	}

	void stop() {
		signal("CONT");
		this.process.destroy();
		if (!hasEnded()) {
			kill();
		}
	}

	void kill() {
		this.process.destroyForcibly();
		if (!hasEnded()) {
			throw new IllegalStateException("redis-server, process %d, survives SIGKILL".formatted(pid()));
		}
	}

	private boolean hasEnded() {
		boolean interrupted = false;
		try {
			while (true) {
				try {
					return this.process.waitFor(END.toMillis(), TimeUnit.MILLISECONDS);
				}
				catch (InterruptedException ex) {
					interrupted = true;
				}
			}
		}
		finally {
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}
	}

	/**
	 * Sends a signal through the shell's own kill, which is there where /bin/kill is not.
	 */
	void signal(String name) {
		if (!isAlive()) {
			return;
		}
		try {
			int exitCode = new ProcessBuilder("sh", "-c", "kill -%s %d".formatted(name, pid())).start().waitFor();
			if (exitCode != 0 && isAlive()) {
				throw new IllegalStateException("Cannot send SIG%s to process %d".formatted(name, pid()));
			}
		}
		catch (IOException ex) {
			throw new IllegalStateException("Cannot send SIG%s to process %d".formatted(name, pid()), ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException("Interrupted while sending SIG%s".formatted(name), ex);
		}
	}

}

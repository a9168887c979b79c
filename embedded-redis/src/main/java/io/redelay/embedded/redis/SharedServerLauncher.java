package io.redelay.embedded.redis;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/**
 * Starts a shared server as a process that outlives this JVM.
 *
 * @param files the files of the server
 * @param deadline the end of all waiting
 */
record SharedServerLauncher(SharedServerFiles files, Deadline deadline) {

	/**
	 * A line of the log opens with the process that wrote it.
	 */
	private static final Pattern PROCESS = Pattern.compile("^(\\d+):[A-Z] ", Pattern.MULTILINE);

	/**
	 * Starts the server, or joins one that was faster: a user with another directory for
	 * temporary files does not see this one's lock.
	 */
	ServerLease launch() {
		daemonize();
		return awaitData(null);
	}

	/**
	 * Waits until a server is there and has read its data.
	 */
	ServerLease awaitData(@Nullable ServerLease first) {
		ServerLease lease = first;
		while (lease == null || !lease.isLoaded()) {
			if (lease != null) {
				lease.drop();
			}
			if (hasEnded()) {
				throw failure("ended");
			}
			if (this.deadline.isOver()) {
				throw failure("was not ready within %s".formatted(this.deadline.timeout()));
			}
			this.deadline.pause();
			lease = find();
		}
		return lease;
	}

	/**
	 * A server that is about to end may break a connection off, or not answer.
	 */
	private @Nullable ServerLease find() {
		try {
			return ServerLease.take(this.files.port());
		}
		catch (PortTakenException ex) {
			if (ex.isCertain()) {
				throw ex;
			}
			return null;
		}
	}

	/**
	 * The command returns once the server is a process of its own.
	 */
	private void daemonize() {
		Path configuration = this.files.write();
		String executable = this.files.executable().toString();
		try {
			Process launch = new ProcessBuilder(executable, configuration.toString()).redirectErrorStream(true).start();
			String output = new String(launch.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
			if (launch.waitFor() != 0) {
				throw new RedisStartException("'%s' ended with exit code %d".formatted(executable, launch.exitValue()),
						output);
			}
		}
		catch (IOException ex) {
			throw new RedisStartException("Cannot execute '%s'".formatted(executable), "", ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new RedisStartException("Interrupted while starting redis-server", "", ex);
		}
	}

	private boolean hasEnded() {
		Long process = lastToLog();
		return process != null && !runs(process) && process.equals(lastToLog());
	}

	/**
	 * One that has ended stays in the list of processes until it is reaped, without a
	 * command.
	 */
	private static boolean runs(long process) {
		return ProcessHandle.of(process).flatMap((handle) -> handle.info().command()).isPresent();
	}

	private @Nullable Long lastToLog() {
		Matcher lines = PROCESS.matcher(this.files.log().text());
		Long last = null;
		while (lines.find()) {
			last = Long.valueOf(lines.group(1));
		}
		return last;
	}

	private RedisStartException failure(String what) {
		return new RedisStartException(
				"redis-server on port %d, in '%s', %s".formatted(this.files.port(), this.files.directory(), what),
				this.files.log().tail());
	}

}

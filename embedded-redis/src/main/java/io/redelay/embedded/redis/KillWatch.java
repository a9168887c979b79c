package io.redelay.embedded.redis;

import java.io.IOException;
import java.io.OutputStream;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Ends a server when this JVM was killed or halted, which runs no exit hook: a shell
 * whose input is a pipe from this JVM. The system closes the pipe with the JVM, however
 * that ends, and only then the shell runs its command.
 *
 * @param pipe the input of the shell, which would be closed with the last reference to it
 */
record KillWatch(OutputStream pipe) implements AutoCloseable {

	/**
	 * A line means that there is nothing to be ended any more. A signal that ends the JVM
	 * in a terminal reaches the shell as well, which goes on.
	 */
	private static final String WAIT = "trap '' INT TERM HUP; read -r line && exit 0; ";

	/**
	 * A paused process takes a signal once it is continued.
	 */
	private static final String END_PROCESS = "kill -TERM \"$1\" && kill -CONT \"$1\"";

	/**
	 * In this time the next application can join the server.
	 */
	private static final String END_SHARED = "sleep 10; exec \"$1\" -cp \"$2\" \"$3\" \"$4\"";

	/**
	 * Ends a process with this JVM.
	 */
	static KillWatch ofProcess(long pid) {
		return start(END_PROCESS, Long.toString(pid));
	}

	/**
	 * Ends the shared server on a port after this JVM, unless another application uses
	 * it.
	 */
	static KillWatch ofShared(int port, String java, String classPath) {
		return start(END_SHARED, java, classPath, UnusedServer.class.getName(), Integer.toString(port));
	}

	private static KillWatch start(String command, String... arguments) {
		List<String> shell = new ArrayList<>(List.of("sh", "-c", WAIT + command, "redelay-embedded-redis"));
		shell.addAll(List.of(arguments));
		try {
			return new KillWatch(new ProcessBuilder(shell).redirectOutput(Redirect.DISCARD)
				.redirectError(Redirect.DISCARD)
				.start()
				.getOutputStream());
		}
		catch (IOException ex) {
			throw new RedisStartException("Cannot execute 'sh', which ends redis-server if this JVM is killed", "", ex);
		}
	}

	/**
	 * Ends the watch, since the server has ended, or is left to others.
	 */
	@Override
	public void close() {
		try (this.pipe) {
			this.pipe.write("end\n".getBytes(StandardCharsets.US_ASCII));
		}
		catch (IOException ex) {
			// The shell is gone, so nothing is ended.
		}
	}

}

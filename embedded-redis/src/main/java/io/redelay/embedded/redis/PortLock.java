package io.redelay.embedded.redis;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

import org.jspecify.annotations.Nullable;

/**
 * Held while the shared server of a port is joined or left, so that applications that
 * start and end at the same moment don't fight. A user has one file, of which a port
 * locks its byte. The system releases it when its holder is killed.
 *
 * @param channel the locked file
 */
record PortLock(FileChannel channel) implements AutoCloseable {

	static PortLock take(int port, Deadline deadline) {
		Path file = Path.of(System.getProperty("java.io.tmpdir"),
				"redelay-embedded-redis-%s.lock".formatted(System.getProperty("user.name")));
		FileChannel channel = open(file);
		try {
			if (deadline.await(() -> tryLock(channel, port, file) != null)) {
				return new PortLock(channel);
			}
			throw new RedisStartException("Another process holds port %d in '%s' for longer than %s".formatted(port,
					file, deadline.timeout()), "");
		}
		catch (RuntimeException ex) {
			new PortLock(channel).close();
			throw ex;
		}
	}

	private static FileChannel open(Path file) {
		try {
			return FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE,
					LinkOption.NOFOLLOW_LINKS);
		}
		catch (IOException ex) {
			throw new UncheckedIOException("Cannot open '%s'".formatted(file), ex);
		}
	}

	private static @Nullable FileLock tryLock(FileChannel channel, int port, Path file) {
		try {
			return channel.tryLock(port, 1, false);
		}
		catch (OverlappingFileLockException ex) {
			// Another thread of this JVM holds it.
			return null;
		}
		catch (IOException ex) {
			throw new UncheckedIOException("Cannot lock '%s'".formatted(file), ex);
		}
	}

	@Override
	public void close() {
		try {
			this.channel.close();
		}
		catch (IOException ex) {
			throw new UncheckedIOException("Cannot release a lock", ex);
		}
	}

}

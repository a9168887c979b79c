package io.redelay.embedded.redis;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

/**
 * A directory that is deleted, with its content, when it is closed.
 *
 * @param path where it is
 */
record TemporaryDirectory(Path path) implements AutoCloseable {

	static TemporaryDirectory create(String prefix) {
		try {
			return new TemporaryDirectory(Files.createTempDirectory(prefix));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(
					"Cannot create a directory under '%s'".formatted(System.getProperty("java.io.tmpdir")), ex);
		}
	}

	static TemporaryDirectory untilExit(String prefix) {
		TemporaryDirectory directory = create(prefix);
		ExitHook.add(directory::close);
		return directory;
	}

	@Override
	public void close() {
		try (Stream<Path> files = Files.walk(this.path)) {
			for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
				Files.deleteIfExists(file);
			}
		}
		catch (IOException | UncheckedIOException ex) {
			// It may be deleted before, or by a server that is just ending.
			if (!(ex instanceof NoSuchFileException) && !(ex.getCause() instanceof NoSuchFileException)) {
				throw new UncheckedIOException("Cannot delete '%s'".formatted(this.path),
						(ex instanceof IOException failure) ? failure : ((UncheckedIOException) ex).getCause());
			}
		}
	}

}

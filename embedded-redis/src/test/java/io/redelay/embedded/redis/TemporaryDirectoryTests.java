package io.redelay.embedded.redis;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link TemporaryDirectory}.
 */
class TemporaryDirectoryTests {

	@Test
	void isDeletedWithItsContentAndMayBeClosedTwice() throws IOException {
		TemporaryDirectory directory = TemporaryDirectory.create("test");
		Files.createFile(Files.createDirectories(directory.path().resolve("one/two")).resolve("file"));
		directory.close();
		directory.close();
		assertThat(directory.path()).doesNotExist();
	}

	@RepeatedTest(5)
	void isDeletedWhollyThoughFilesVanishMeanwhile() throws IOException {
		TemporaryDirectory directory = TemporaryDirectory.create("test");
		for (int i = 0; i < 2000; i++) {
			Files.createFile(directory.path().resolve("file" + i));
		}
		CompletableFuture<Void> other = CompletableFuture.runAsync(() -> deleteHalf(directory.path()));
		directory.close();
		other.join();
		assertThat(directory.path()).doesNotExist();
	}

	private static void deleteHalf(Path directory) {
		for (int i = 0; i < 2000; i += 2) {
			directory.resolve("file" + i).toFile().delete();
		}
	}

}

package io.redelay.embedded.redis;

import java.nio.file.Path;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for {@link RedisExecutable}.
 */
class RedisExecutableTests {

	@ParameterizedTest
	@CsvSource({ "Linux, amd64, linux-amd64", "Linux, aarch64, linux-arm64", "Linux, i386, linux-386",
			"Mac OS X, x86_64, darwin-amd64", "Mac OS X, aarch64, darwin-arm64" })
	void knowsThePlatforms(String os, String architecture, String expected) {
		assertThat(RedisExecutable.platform(os, architecture)).isEqualTo(expected);
		assertThat(getClass().getResource("/redis-server-7.0.15-" + expected)).isNotNull();
	}

	@ParameterizedTest
	@CsvSource({ "Windows 11, amd64", "Linux, s390x", "Mac OS X, i386" })
	void saysWhatToDoOnOtherPlatforms(String os, String architecture) {
		assertThatIllegalStateException().isThrownBy(() -> RedisExecutable.platform(os, architecture))
			.withMessageContaining("'%s' on '%s'".formatted(os, architecture))
			.withMessageContaining("'redelay.test.redis-server'")
			.withMessageContaining("spring.data.redis");
	}

	@Test
	void keepsAnExecutableInADirectory(@TempDir Path directory) {
		Path executable = RedisExecutable.keptIn(directory.resolve("bin"));
		assertThat(executable).isExecutable().hasParent(directory.resolve("bin"));
		assertThat(RedisExecutable.keptIn(directory.resolve("bin"))).isEqualTo(executable);
		assertThat(directory.resolve("bin")).isDirectoryNotContaining("glob:**.part");
	}

}

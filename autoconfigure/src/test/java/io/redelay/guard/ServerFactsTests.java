package io.redelay.guard;

import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link ServerFacts}.
 */
class ServerFactsTests {

	@ParameterizedTest
	@CsvSource({ "6.2.0,", "7.0.15,", "8.4.0,", "10.0.1,", "6.0.16,Redis 6.0.16", "5.0.7,Redis 5.0.7", "unknown," })
	void versionsFrom62OnAreSupported(String version, String unsupported) {
		assertThat(facts(Map.of("redis_version", version), "").unsupportedVersion()).isEqualTo(unsupported);
	}

	@Test
	void whatOnlySpeaksLikeRedisIsNotSupported() {
		assertThat(facts(Map.of("redis_version", "7.2.0", "dragonfly_version", "df-v1.2"), "").unsupportedVersion())
			.isEqualTo("Dragonfly df-v1.2");
	}

	@Test
	void snapshotsOrAnAppendOnlyFileKeepTheData() {
		assertThat(facts(Map.of("aof_enabled", "1"), "").isPersistent()).isTrue();
		assertThat(facts(Map.of("aof_enabled", "0"), "3600 1").isPersistent()).isTrue();
		assertThat(facts(Map.of("aof_enabled", "0"), "").isPersistent()).isFalse();
	}

	@Test
	void whatTheServerDoesNotReportIsNotKnown() {
		assertThat(facts(Map.of("aof_enabled", "0"), null).isPersistent()).isNull();
		assertThat(facts(Map.of("aof_enabled", "1"), null).isPersistent()).isTrue();
		assertThat(facts(Map.of(), null).evictionPolicy()).isNull();
		assertThat(facts(Map.of(), null).unsupportedVersion()).isNull();
	}

	private static ServerFacts facts(Map<String, String> info, String snapshots) {
		return new ServerFacts("here:6379", info, snapshots);
	}

}

package io.redelay.autoconfigure;

import io.redelay.embedded.redis.RedisServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.diagnostics.FailureAnalysis;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Integration tests for {@link RedisUnavailableFailureAnalyzer} with servers that refuse.
 */
class RedisUnavailableFailureAnalyzerIntegrationTests {

	private static RedisServer server;

	private static RedisServer open;

	@BeforeAll
	static void startServers() {
		server = RedisServer.builder().password("s3cret").start();
		server.command("ACL", "SETUSER", "limited", "on", ">s3cret", "~*", "&*", "+get");
		open = RedisServer.start();
	}

	@AfterAll
	static void stopServers() {
		server.close();
		open.close();
	}

	@ParameterizedTest
	@ValueSource(strings = { "spring.data.redis.port=%d", "spring.data.redis.cluster.nodes=127.0.0.1:%d",
			"spring.data.redis.masterreplica.nodes=127.0.0.1:%d" })
	void passwordIsMissing(String location) {
		FailureAnalysis analysis = StartFailure.analyze(location.formatted(server.port()));
		assertThat(analysis.getDescription()).contains(":" + server.port() + " (").endsWith(") asks for a password.");
		assertThat(analysis.getAction()).contains("'spring.data.redis.password'", "'spring.data.redis.username'");
	}

	@ParameterizedTest
	@ValueSource(strings = { "spring.data.redis.port=%d", "spring.data.redis.cluster.nodes=127.0.0.1:%d",
			"spring.data.redis.masterreplica.nodes=127.0.0.1:%d" })
	void passwordIsWrong(String location) {
		FailureAnalysis analysis = StartFailure.analyze(location.formatted(server.port()),
				"spring.data.redis.password=wr0ng");
		assertThat(analysis.getDescription()).endsWith(") refuses the user name or the password.");
		assertThat(analysis.getAction()).contains("'spring.data.redis.password'").doesNotContain("wr0ng");
	}

	@Test
	void userIsUnknown() {
		FailureAnalysis analysis = StartFailure
			.analyze("spring.data.redis.url=redis://nobody:s3cret@localhost:" + server.port());
		assertThat(analysis.getDescription()).isEqualTo(
				"Redis at localhost:%d (standalone) refuses the user name or the password.".formatted(server.port()));
	}

	@Test
	void userMayNotDoEnough() {
		FailureAnalysis analysis = StartFailure.analyze("spring.data.redis.port=" + server.port(),
				"spring.data.redis.username=limited", "spring.data.redis.password=s3cret");
		assertThat(analysis.getDescription()).contains("refuses the client: NOPERM")
			.contains("ping")
			.doesNotContain("channel");
		assertThat(analysis.getAction()).startsWith("Give its user the rights");
	}

	@Test
	void passwordIsGivenThoughThereIsNone() {
		FailureAnalysis analysis = StartFailure.analyze("spring.data.redis.port=" + open.port(),
				"spring.data.redis.password=s3cret");
		assertThat(analysis.getDescription())
			.contains("refuses the client: ERR AUTH <password> called without any password");
		assertThat(analysis.getDescription()).doesNotContain("s3cret");
		assertThat(analysis.getAction()).startsWith("It has no password: leave 'spring.data.redis.password' out");
	}

	@Test
	void databaseIsNotThere() {
		FailureAnalysis analysis = StartFailure.analyze("spring.data.redis.port=" + open.port(),
				"spring.data.redis.database=99");
		assertThat(analysis.getDescription()).endsWith("refuses the client: ERR DB index is out of range.");
		assertThat(analysis.getAction()).startsWith("Set 'spring.data.redis.database' to a database that it has");
	}

	@Test
	void serverIsNoCluster() {
		FailureAnalysis analysis = StartFailure.analyze("spring.data.redis.cluster.nodes=127.0.0.1:" + open.port());
		assertThat(analysis.getDescription())
			.endsWith("(cluster) refuses the client: ERR This instance has cluster support disabled.");
		assertThat(analysis.getAction()).contains("'spring.data.redis.host'", "'spring.data.redis.cluster.nodes'");
	}

	@Test
	void serverIsNoSentinel() {
		FailureAnalysis analysis = StartFailure.analyze("spring.data.redis.sentinel.master=mymaster",
				"spring.data.redis.sentinel.nodes=127.0.0.1:" + open.port());
		assertThat(analysis.getDescription()).contains("(sentinel) refuses the client: ERR unknown command")
			.contains("SENTINEL");
		assertThat(analysis.getAction()).startsWith("It is no sentinel: name host and port of the sentinels");
	}

}

package io.redelay.autoconfigure;

import java.util.List;
import java.util.stream.Stream;

import io.redelay.autoconfigure.RedisLocation.Topology;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails.Node;
import org.springframework.boot.ssl.SslBundle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for {@link RedisLocation}.
 */
class RedisLocationTests {

	private static final Node A = new Node("a", 1);

	private static final Node B = new Node("b", 2);

	@ParameterizedTest
	@MethodSource("everyTopology")
	void locationHasTopologyAndNodes(Topology topology, TestConnectionDetails details, List<String> nodes) {
		RedisLocation location = RedisLocation.of(details, null);
		assertThat(location.topology()).isEqualTo(topology);
		assertThat(location.nodes()).isEqualTo(nodes);
	}

	@ParameterizedTest
	@MethodSource("everyTopology")
	void withoutAWordAboutTlsAddressesArePlain(Topology topology, TestConnectionDetails details, List<String> nodes) {
		RedisLocation location = RedisLocation.of(details, "redis://user:rediss@elsewhere:3");
		assertThat(location.addresses()).isEqualTo(nodes.stream().map("redis://"::concat).toList());
	}

	@ParameterizedTest
	@MethodSource("everyTopology")
	void withAnSslBundleAddressesAreTls(Topology topology, TestConnectionDetails details, List<String> nodes) {
		RedisLocation location = RedisLocation.of(details.withSslBundle(SslBundle.systemDefault()), null);
		assertThat(location.addresses()).isEqualTo(nodes.stream().map("rediss://"::concat).toList());
	}

	@ParameterizedTest
	@MethodSource("everyTopology")
	void withATlsUrlAddressesAreTlsEvenIfTheDetailsHaveNoSslBundle(Topology topology, TestConnectionDetails details,
			List<String> nodes) {
		for (String url : List.of("rediss://elsewhere:3", "rediss://user:secret@elsewhere:3/4", "REDISS://elsewhere",
				" rediss://elsewhere")) {
			assertThat(RedisLocation.of(details, url).addresses()).as(url)
				.isEqualTo(nodes.stream().map("rediss://"::concat).toList());
		}
	}

	@ParameterizedTest
	@MethodSource("everyTopology")
	void aPlainUrlDoesNotUndoAnSslBundle(Topology topology, TestConnectionDetails details, List<String> nodes) {
		RedisLocation location = RedisLocation.of(details.withSslBundle(SslBundle.systemDefault()),
				"redis://elsewhere:3");
		assertThat(location.addresses()).allMatch((address) -> address.startsWith("rediss://"));
	}

	@ParameterizedTest
	@ValueSource(strings = { "rediss://a", "redis://a", "//a", "a/0" })
	void hostThatIsAUrlIsRefused(String host) {
		assertThatIllegalArgumentException()
			.isThrownBy(() -> RedisLocation.of(TestConnectionDetails.standaloneAt(host, 1), null))
			.withMessageContaining("'host'")
			.withMessageContaining("spring.data.redis.url")
			.withMessageContaining("spring.data.redis.ssl.enabled");
		assertThatIllegalArgumentException()
			.isThrownBy(() -> RedisLocation.of(TestConnectionDetails.clusterAt(A, new Node(host, 1)), null))
			.withMessageContaining("'host'");
	}

	@ParameterizedTest
	@CsvSource({ "::1, [::1]:7", "[::1], [::1]:7", "fe80::1%eth0, [fe80::1%eth0]:7", "127.0.0.1, 127.0.0.1:7",
			"redis.example, redis.example:7" })
	void hostMayBeAnAddress(String host, String node) {
		assertThat(RedisLocation.of(TestConnectionDetails.standaloneAt(host, 7), null).nodes()).containsExactly(node);
	}

	@Test
	void urlWithoutPortHasTheDefaultPort() {
		assertThat(RedisLocation.of(TestConnectionDetails.standaloneAt("a", -1), null).nodes())
			.containsExactly("a:6379");
	}

	@Test
	void emptyHostIsRefused() {
		assertThatIllegalArgumentException()
			.isThrownBy(() -> RedisLocation.of(TestConnectionDetails.clusterAt(new Node(" ", 1)), null))
			.withMessageContaining("'host'");
	}

	@Test
	void noNodesAreRefused() {
		assertThatIllegalArgumentException()
			.isThrownBy(() -> RedisLocation.of(TestConnectionDetails.masterReplicaAt(), null))
			.withMessageContaining("'nodes'")
			.withMessageContaining("master-replica");
	}

	@Test
	void detailsWithoutAnyLocationAreRefused() {
		assertThatIllegalStateException()
			.isThrownBy(
					() -> RedisLocation.of(new TestConnectionDetails(null, null, null, null, null, null, null), null))
			.withMessageContaining("'details'");
	}

	@Test
	void locationIsDescribed() {
		assertThat(RedisLocation.of(TestConnectionDetails.standaloneAt("a", 1), null)).hasToString("a:1 (standalone)");
		assertThat(RedisLocation.of(TestConnectionDetails.masterReplicaAt(A, B), "rediss://c"))
			.hasToString("a:1, b:2 (master-replica, TLS)");
	}

	static Stream<Arguments> everyTopology() {
		return Stream.of(Arguments.of(Topology.STANDALONE, TestConnectionDetails.standaloneAt("a", 1), List.of("a:1")),
				Arguments.of(Topology.SENTINEL, TestConnectionDetails.sentinelAt("master", 0, A, B),
						List.of("a:1", "b:2")),
				Arguments.of(Topology.CLUSTER, TestConnectionDetails.clusterAt(A, B), List.of("a:1", "b:2")), Arguments
					.of(Topology.MASTER_REPLICA, TestConnectionDetails.masterReplicaAt(A, B), List.of("a:1", "b:2")));
	}

}

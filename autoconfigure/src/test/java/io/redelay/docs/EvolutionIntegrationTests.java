package io.redelay.docs;

import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;

import io.redelay.test.ListenerApplication;
import io.redelay.test.TestRedis;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/**
 * The chapter "Payloads that change" says what happens.
 */
class EvolutionIntegrationTests {

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	private static final Orders orders = new Orders();

	private static ListenerApplication application;

	@BeforeAll
	static void start() {
		application = ListenerApplication.on(redis)
			.bean(new Evolution(orders))
			.with("redelay.queue.key-prefix", "evolution-" + UUID.randomUUID())
			.with("spring.jackson.datatype.enum.read-unknown-enum-values-using-default-value", true)
			.start();
	}

	@AfterAll
	static void stop() {
		application.close();
	}

	static Stream<Arguments> versions() {
		return Stream.of(
				arguments(Map.of("id", "a", "more", List.of(1)), "id=a, address=null, floor=null, carrier=null"),
				arguments(Map.of("id", "b", "street", "Main"), "id=b, address=Main, floor=null, carrier=null"),
				arguments(Map.of("id", "c", "floor", "3", "carrier", "DRONE"),
						"id=c, address=null, floor=3, carrier=OTHER"));
	}

	@ParameterizedTest
	@MethodSource("versions")
	void anotherVersionIsTaken(Map<String, Object> sent, String taken) {
		application.queues().send("deliveries", sent);
		Awaitility.await().untilAsserted(() -> assertThat(orders.reported).contains("deliver Delivery[" + taken + "]"));
	}

}

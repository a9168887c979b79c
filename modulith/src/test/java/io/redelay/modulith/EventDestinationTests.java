package io.redelay.modulith;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What targets of events stand for.
 */
class EventDestinationTests {

	@ParameterizedTest
	@CsvSource({ "orders, orders, false", "queue:orders, orders, false", "topic:orders, orders, true",
			"'topic: orders ', orders, true", "order.Outer$Placed, order.Outer.Placed, false" })
	void aPrefixChooses(String target, String name, boolean topic) {
		assertThat(EventDestination.of(target)).isEqualTo(new EventDestination(name, topic));
	}

}

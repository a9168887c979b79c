package io.redelay.samples.shop;

import java.time.Duration;
import java.time.Instant;
import java.time.LocalTime;
import java.time.ZoneId;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

import org.springframework.boot.test.web.server.LocalServerPort;

import static io.redelay.samples.shop.ShopClient.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * The report of each night.
 */
@ShopTest
class NightlyReportIntegrationTests {

	private ShopClient shop;

	@BeforeEach
	void connect(@LocalServerPort int port) {
		this.shop = new ShopClient(port);
	}

	@Test
	void isWrittenAtTwoInTheMorning() {
		eventually(() -> assertThat(this.shop.nightlyReport().body().required("nextRuns")).hasSize(5)
			.allSatisfy(
					(run) -> assertThat(LocalTime.ofInstant(Instant.parse(run.asString()), ZoneId.of("Europe/Berlin")))
						.isEqualTo(LocalTime.of(2, 0))));
	}

	@Test
	void isWrittenNowWhenAsked() {
		String order = this.shop.placeOrder(Duration.ofHours(1));
		assertThat(this.shop.pay(order).code()).isEqualTo(200);
		Instant asked = Instant.now();
		eventually(() -> assertThat(this.shop.runNightlyReport().code()).isEqualTo(202));
		eventually(() -> {
			JsonNode last = this.shop.nightlyReport().body().required("last");
			assertThat(Instant.parse(last.required("writtenAt").asString())).isAfter(asked);
			assertThat(last.required("paid").asInt()).isPositive();
			assertThat(last.required("revenue").decimalValue()).isPositive();
		});
	}

}

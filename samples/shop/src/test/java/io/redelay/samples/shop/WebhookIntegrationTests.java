package io.redelay.samples.shop;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.boot.test.web.server.LocalServerPort;

import static io.redelay.samples.shop.ShopClient.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Calls of merchants' servers, ten a second for each.
 */
@ShopTest
class WebhookIntegrationTests {

	private ShopClient shop;

	@BeforeEach
	void connect(@LocalServerPort int port) {
		this.shop = new ShopClient(port);
	}

	@Test
	void eachMerchantIsCalledAtItsRateAndNoneWaitsForAnother() {
		String busy = UUID.randomUUID().toString();
		String quiet = UUID.randomUUID().toString();
		IntStream.range(0, 30).forEach((i) -> assertThat(this.shop.payMerchant(busy).code()).isEqualTo(202));
		this.shop.payMerchant(quiet);
		eventually(() -> assertThat(this.shop.calls(busy)).hasSize(30));
		List<Instant> calls = this.shop.calls(busy);
		assertThat(Duration.between(calls.get(0), calls.get(29))).as("30 calls at ten a second")
			.isGreaterThan(Duration.ofSeconds(2));
		assertThat(this.shop.calls(quiet)).singleElement()
			.satisfies((call) -> assertThat(call).isBefore(calls.get(29)));
	}

	@Test
	void paymentOfNothingIsRefused() {
		assertThat(this.shop.post("/merchants/acme/payments", """
				{"amount": 0}""").code()).isEqualTo(400);
		assertThat(this.shop.payMerchant("m".repeat(101)).code()).isEqualTo(400);
	}

}

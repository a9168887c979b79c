package io.redelay.samples.shop;

import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

import io.redelay.samples.shop.ShopClient.Answer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import org.springframework.context.ConfigurableApplicationContext;

import static io.redelay.samples.shop.ShopClient.eventually;
import static io.redelay.samples.shop.ShopInstances.client;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Two instances that share one Redis and one database.
 */
class TwoInstancesIntegrationTests {

	private final ShopInstances instances = new ShopInstances();

	private final ConfigurableApplicationContext first = this.instances.start();

	private final ConfigurableApplicationContext second = this.instances.start();

	@AfterEach
	void stop() {
		this.instances.close();
	}

	@Test
	void orderPlacedHereIsPaidThere() {
		String id = client(this.first).placeOrder(Duration.ofMinutes(30));
		assertThat(client(this.second).pay(id).status()).isEqualTo("PAID");
		assertThat(client(this.first).order(id).status()).isEqualTo("PAID");
		eventually(() -> assertThat(client(this.first).receipt(id).status()).isEqualTo("SENT"));
	}

	@Test
	void oneTakesOverWhatTheOtherLeavesWhenItStops() {
		ShopClient leaving = client(this.first);
		List<String> unpaid = IntStream.range(0, 50)
			.mapToObj((i) -> leaving.placeOrder(Duration.ofMillis(500 + i * 20)))
			.toList();
		List<String> redPackets = IntStream.range(0, 20)
			.mapToObj((i) -> leaving.sendRedPacket("amy", "ben", "1.00", Duration.ofMillis(500 + i * 50)))
			.toList();
		String paid = leaving.placeOrder(Duration.ofMinutes(30));
		leaving.pay(paid);
		this.first.close();
		ShopClient staying = client(this.second);
		eventually(() -> {
			assertThat(unpaid).map(staying::order).allSatisfy((order) -> {
				assertThat(order.status()).isEqualTo("CANCELLED");
				assertThat(order.time("cancelledAt")).isAfterOrEqualTo(order.time("payBy"));
			});
			assertThat(redPackets).map(staying::redPacket).map(Answer::status).containsOnly("REFUNDED");
			assertThat(staying.receipt(paid).status()).isEqualTo("SENT");
		});
		assertThat(staying.order(paid).status()).isEqualTo("PAID");
		assertThat(staying.balance("amy")).isEqualByComparingTo("1000");
	}

}

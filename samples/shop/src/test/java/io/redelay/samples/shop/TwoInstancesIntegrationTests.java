package io.redelay.samples.shop;

import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;

import io.redelay.embedded.redis.RedisServer;
import io.redelay.samples.shop.ShopClient.Answer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.web.server.servlet.context.ServletWebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;

import static io.redelay.samples.shop.ShopClient.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Two instances that share one Redis and one database.
 */
class TwoInstancesIntegrationTests {

	private final RedisServer redis = RedisServer.start();

	private final String database = "jdbc:h2:mem:%s;DB_CLOSE_DELAY=-1".formatted(UUID.randomUUID());

	private final ConfigurableApplicationContext first = start();

	private final ConfigurableApplicationContext second = start();

	@AfterEach
	void stop() {
		this.first.close();
		this.second.close();
		this.redis.close();
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

	private ConfigurableApplicationContext start() {
		// The safety net does not run: what arrives comes through the queue.
		return new SpringApplicationBuilder(ShopApplication.class).run("--server.port=0",
				"--spring.main.banner-mode=off", "--spring.datasource.url=" + this.database,
				"--spring.data.redis.url=" + this.redis.uri(), "--shop.sweep-interval=1h");
	}

	private static ShopClient client(ConfigurableApplicationContext instance) {
		return new ShopClient(((ServletWebServerApplicationContext) instance).getWebServer().getPort());
	}

}

package io.redelay.samples.shop;

import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;

import io.redelay.samples.shop.ShopClient.Answer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.test.context.TestPropertySource;

import static io.redelay.samples.shop.ShopClient.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Receipts, mailed by a mailer of which every second try fails.
 */
@ShopTest
@TestPropertySource(properties = { "shop.mailer.failure-rate=0.5", "shop.receipts.max-attempts=40",
		"redelay.queue.queues.receipts.backoff.max-interval=50ms" })
class ReceiptIntegrationTests {

	private ShopClient shop;

	@Autowired
	private StringRedisTemplate redis;

	@BeforeEach
	void connect(@LocalServerPort int port) {
		this.shop = new ShopClient(port);
	}

	@Test
	void receiptIsTriedUntilItIsMailed() {
		List<String> ids = IntStream.range(0, 30).mapToObj((i) -> payOrder("amy@example.com")).toList();
		eventually(
				() -> assertThat(ids).extracting(this.shop::receipt).extracting(Answer::status).containsOnly("SENT"));
		assertThat(ids).extracting((id) -> this.shop.receipt(id).body().required("failures").asInt())
			.anyMatch((failures) -> failures > 0);
	}

	@Test
	void receiptThatCannotBeMailedEndsDeadWithItsReason() {
		String address = UUID.randomUUID() + "@nowhere.invalid";
		String id = payOrder(address);
		eventually(() -> assertThat(this.shop.receipt(id).status()).isEqualTo("DEAD"));
		assertThat(this.shop.get("/receipts/dead").body()).filteredOn((dead) -> is(dead, id))
			.singleElement()
			.satisfies((dead) -> {
				assertThat(dead.required("email").asString()).isEqualTo(address);
				assertThat(dead.required("failures").asInt()).isEqualTo(40);
				assertThat(dead.required("reason").asString())
					.isEqualTo("The host of '%s' is unknown".formatted(address));
			});
		eventually(() -> assertThat(this.redis.opsForHash().values("redelay:{receipts}:dead:messages")).asString()
			.contains(id)
			.contains(address));
		assertThat(this.shop.order(id).status()).isEqualTo("PAID");
	}

	@Test
	void unpaidOrderHasNoReceipt() {
		assertThat(this.shop.receipt(this.shop.placeOrder(Duration.ofMinutes(30))).code()).isEqualTo(404);
	}

	private String payOrder(String email) {
		String id = this.shop.placeOrder(Duration.ofMinutes(30), email);
		assertThat(this.shop.pay(id).status()).isEqualTo("PAID");
		return id;
	}

	private static boolean is(JsonNode receipt, String orderId) {
		return receipt.required("orderId").asString().equals(orderId);
	}

}

package io.redelay.samples.shop;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.redelay.samples.shop.ShopClient.Answer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.boot.test.web.server.LocalServerPort;

import static io.redelay.samples.shop.ShopClient.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Orders, from HTTP to the database and back through the queue.
 */
@ShopTest
class OrderIntegrationTests {

	private ShopClient shop;

	@BeforeEach
	void connect(@LocalServerPort int port) {
		this.shop = new ShopClient(port);
	}

	@Test
	void unpaidOrderIsCancelledAndNeverBeforeItsTime() {
		List<String> ids = Stream.of(1, 50, 300, 700, 1500)
			.map((millis) -> this.shop.placeOrder(Duration.ofMillis(millis)))
			.toList();
		eventually(() -> assertThat(ids).allSatisfy((id) -> {
			Answer order = this.shop.order(id);
			assertThat(order.status()).isEqualTo("CANCELLED");
			assertThat(order.time("cancelledAt")).isAfterOrEqualTo(order.time("payBy"));
		}));
	}

	@Test
	void pendingOrderShowsWhenItMustBePaid() {
		Answer order = this.shop.order(this.shop.placeOrder(Duration.ofMinutes(30)));
		assertThat(order.status()).isEqualTo("PENDING");
		assertThat(order.time("payBy")).isEqualTo(order.time("createdAt").plus(Duration.ofMinutes(30)));
	}

	@Test
	void paidOrderIsNotCancelled() {
		String paid = this.shop.placeOrder(Duration.ofSeconds(8));
		assertThat(this.shop.pay(paid).status()).isEqualTo("PAID");
		String later = this.shop.placeOrder(Duration.ofSeconds(8));
		eventually(() -> assertThat(this.shop.order(later).status()).isEqualTo("CANCELLED"));
		assertThat(this.shop.order(paid).status()).isEqualTo("PAID");
		assertThat(this.shop.order(paid).body().has("cancelledAt")).isFalse();
	}

	@Test
	void payingTwiceIsPayingOnce() {
		String id = this.shop.placeOrder(Duration.ofMinutes(30));
		Answer first = this.shop.pay(id);
		assertThat(this.shop.pay(id)).isEqualTo(first);
	}

	@Test
	void cancelledOrderCannotBePaid() {
		String id = this.shop.placeOrder(Duration.ofMillis(1));
		eventually(() -> assertThat(this.shop.order(id).status()).isEqualTo("CANCELLED"));
		Answer answer = this.shop.pay(id);
		assertThat(answer.code()).isEqualTo(409);
		assertThat(answer.contentType()).isEqualTo("application/problem+json");
		assertThat(this.shop.order(id).status()).isEqualTo("CANCELLED");
		assertThat(this.shop.receipt(id).code()).isEqualTo(404);
	}

	@Test
	void eitherPaymentOrCancellationWins() {
		Duration payWithin = Duration.ofMillis(500);
		Map<String, Integer> codes = new ConcurrentHashMap<>();
		CompletableFuture.allOf(IntStream.range(0, 60).mapToObj((i) -> {
			String id = this.shop.placeOrder(payWithin);
			int hesitation = 400 + ThreadLocalRandom.current().nextInt(200);
			Executor later = CompletableFuture.delayedExecutor(hesitation, TimeUnit.MILLISECONDS);
			return CompletableFuture.runAsync(() -> codes.put(id, this.shop.pay(id).code()), later);
		}).toArray(CompletableFuture[]::new)).join();
		assertThat(codes).hasSize(60);
		eventually(() -> assertThat(codes).allSatisfy((id, code) -> {
			Answer order = this.shop.order(id);
			assertThat(order.status()).isEqualTo((code == 200) ? "PAID" : "CANCELLED");
			assertThat(order.body().has("paidAt")).isEqualTo(code == 200);
			assertThat(order.body().has("cancelledAt")).isEqualTo(code == 409);
		}));
	}

	@Test
	void unknownOrderIsNotFound() {
		for (Answer answer : List.of(this.shop.order("7"), this.shop.pay("7"), this.shop.receipt("7"),
				this.shop.reminder("7"), this.shop.correctReceipt("7", "amy@example.com"))) {
			assertThat(answer.code()).isEqualTo(404);
			assertThat(answer.contentType()).isEqualTo("application/problem+json");
		}
	}

	@Test
	void badOrderIsRefused() {
		Answer answer = this.shop.post("/orders", """
				{"item": "book", "amount": -1, "payWithin": "PT3S"}""");
		assertThat(answer.code()).isEqualTo(400);
		assertThat(answer.contentType()).isEqualTo("application/problem+json");
		assertThat(answer.body().required("detail").asString()).contains("amount");
	}

}

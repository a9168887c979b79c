package io.redelay.samples.shop;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.IntToLongFunction;
import java.util.stream.IntStream;

import io.redelay.samples.shop.ShopClient.Answer;
import io.redelay.samples.shop.coupon.MeetingClaims;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static io.redelay.samples.shop.ShopInstances.client;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Many clients claim one coupon at the same time, at two instances: with locks, and
 * without them.
 */
@Timeout(120)
class CouponRaceIntegrationTests {

	private static final int CLIENTS = 200;

	private static final String WITHOUT_LOCKS = "--redelay.lock.enabled=false";

	/**
	 * No divisor of the stock. All who meet have read before any of them writes, so
	 * either all of them find some of the stock left, or it was exceeded before.
	 */
	private static final int MEETING = 8;

	private final ShopInstances instances = new ShopInstances();

	private final ExecutorService clients = Executors.newFixedThreadPool(CLIENTS);

	@AfterEach
	void stop() {
		this.clients.shutdownNow();
		this.instances.close();
	}

	@Test
	void stockIsSoldAndNoMoreAndToNoCustomerTwice() {
		List<ShopClient> shops = List.of(client(this.instances.start()), client(this.instances.start()));
		String coupon = shops.get(0).issueCoupon(100);
		List<Answer> answers = claimAtOnce(shops, coupon, CLIENTS, (i) -> 1 + i % 150);
		assertThat(answers).extracting(Answer::code).containsOnly(201, 409);
		List<Long> served = answers.stream()
			.filter((answer) -> answer.code() == 201)
			.map((answer) -> answer.body().required("userId").longValue())
			.toList();
		assertThat(served).hasSize(100).doesNotHaveDuplicates();
		assertThat(shops.get(1).holders(coupon)).containsExactlyInAnyOrderElementsOf(served);
	}

	@Test
	@Tag("full")
	void withoutLocksMoreThanTheStockIsSold() {
		List<ShopClient> shops = startWithoutLocks();
		String coupon = shops.get(0).issueCoupon(100);
		List<Answer> answers = claimAtOnce(shops, coupon, CLIENTS, (i) -> 1 + i);
		assertThat(answers).extracting(Answer::code).containsOnly(201, 409);
		assertThat(answers).filteredOn((answer) -> answer.code() == 201).hasSizeGreaterThan(100);
		assertThat(shops.get(1).holders(coupon)).hasSizeGreaterThan(100);
	}

	@Test
	@Tag("full")
	void withoutLocksAUserGetsMany() {
		List<ShopClient> shops = startWithoutLocks();
		String coupon = shops.get(0).issueCoupon(100);
		List<Answer> answers = claimAtOnce(shops, coupon, MEETING, (i) -> 7);
		assertThat(answers).extracting(Answer::code).containsOnly(201);
		assertThat(shops.get(1).holders(coupon)).hasSize(MEETING).containsOnly(7L);
	}

	private List<ShopClient> startWithoutLocks() {
		MeetingClaims meeting = new MeetingClaims(MEETING);
		return List.of(client(this.instances.start(meeting, WITHOUT_LOCKS)),
				client(this.instances.start(meeting, WITHOUT_LOCKS)));
	}

	private List<Answer> claimAtOnce(List<ShopClient> shops, String coupon, int times, IntToLongFunction user) {
		List<CompletableFuture<Answer>> answers = IntStream.range(0, times)
			.mapToObj((i) -> CompletableFuture
				.supplyAsync(() -> claim(shops.get(i % shops.size()), coupon, user.applyAsLong(i)), this.clients))
			.toList();
		return answers.stream().map(CompletableFuture::join).toList();
	}

	/**
	 * As the shop asks for: who finds it busy tries again.
	 */
	private static Answer claim(ShopClient shop, String coupon, long user) {
		Answer answer = shop.claim(coupon, user);
		while (answer.code() == 429) {
			answer = shop.claim(coupon, user);
		}
		return answer;
	}

}

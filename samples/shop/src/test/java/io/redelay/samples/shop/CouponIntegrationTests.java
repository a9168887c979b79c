package io.redelay.samples.shop;

import java.util.List;

import io.redelay.lock.LockSpec;
import io.redelay.lock.LockTemplate;
import io.redelay.samples.shop.ShopClient.Answer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.web.server.LocalServerPort;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Coupons, from HTTP through the lock to the database.
 */
@ShopTest
class CouponIntegrationTests {

	@Autowired
	private LockTemplate locks;

	private ShopClient shop;

	@BeforeEach
	void connect(@LocalServerPort int port) {
		this.shop = new ShopClient(port);
	}

	@Test
	void givesWhatThereIsOneToAUser() {
		String id = this.shop.issueCoupon(2);
		List<Answer> answers = List.of(this.shop.claim(id, 7), this.shop.claim(id, 7), this.shop.claim(id, 8),
				this.shop.claim(id, 9));
		assertThat(answers).extracting(Answer::code).containsExactly(201, 409, 201, 409);
		assertThat(this.shop.holders(id)).containsExactlyInAnyOrder(7L, 8L);
	}

	@Test
	void unknownCouponIsNotFound() {
		assertThat(this.shop.claim("7", 7).code()).isEqualTo(404);
		assertThat(this.shop.claim("%20", 7).code()).isEqualTo(404);
		assertThat(this.shop.get("/coupons/7").code()).isEqualTo(404);
		assertThat(this.shop.get("/coupons/7/claims").code()).isEqualTo(404);
	}

	@Test
	void claimIsToBeTriedAgainWhileAnotherHoldsTheLockOfThatCoupon() {
		String busy = this.shop.issueCoupon(1);
		String idle = this.shop.issueCoupon(1);
		this.locks.execute(LockSpec.of("coupon:" + busy), () -> {
			Answer answer = this.shop.claim(busy, 7);
			assertThat(answer.code()).isEqualTo(429);
			assertThat(answer.contentType()).isEqualTo("application/problem+json");
			assertThat(this.shop.claim(idle, 7).code()).isEqualTo(201);
			return null;
		});
		assertThat(this.shop.holders(busy)).isEmpty();
		assertThat(this.shop.claim(busy, 7).code()).isEqualTo(201);
	}

}

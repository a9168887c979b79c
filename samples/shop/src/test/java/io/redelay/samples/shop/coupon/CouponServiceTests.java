package io.redelay.samples.shop.coupon;

import io.redelay.samples.shop.web.ConflictException;
import io.redelay.samples.shop.web.NotFoundException;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.data.jdbc.test.autoconfigure.DataJdbcTest;
import org.springframework.context.annotation.Import;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link CouponService}.
 */
@DataJdbcTest
@Import(CouponService.class)
class CouponServiceTests {

	@Autowired
	private CouponService coupons;

	@Test
	void findsWhatWasIssued() {
		Coupon coupon = this.coupons.issue(new IssueCoupon("launch", 100));
		assertThat(this.coupons.find(coupon.id())).isEqualTo(coupon);
	}

	@Test
	void givesNoMoreThanTheStock() {
		String id = issue(2);
		CouponClaim first = this.coupons.claim(id, 1);
		CouponClaim second = this.coupons.claim(id, 2);
		assertThatExceptionOfType(ConflictException.class).isThrownBy(() -> this.coupons.claim(id, 3))
			.satisfies((ex) -> assertThat(ex.getBody().getDetail()).isEqualTo("The coupon '%s' is sold out", id));
		assertThat(this.coupons.findClaims(id)).containsExactlyInAnyOrder(first, second);
	}

	@Test
	void givesOneToAUser() {
		String id = issue(2);
		CouponClaim claim = this.coupons.claim(id, 7);
		assertThatExceptionOfType(ConflictException.class).isThrownBy(() -> this.coupons.claim(id, 7))
			.satisfies((ex) -> assertThat(ex.getBody().getDetail()).isEqualTo("The user 7 has the coupon '%s' already",
					id));
		assertThat(this.coupons.findClaims(id)).containsExactly(claim);
	}

	@Test
	void givesOneOfEachCouponToAUser() {
		String first = issue(1);
		String second = issue(1);
		this.coupons.claim(first, 7);
		this.coupons.claim(second, 7);
		assertThat(this.coupons.findClaims(first)).hasSize(1);
		assertThat(this.coupons.findClaims(second)).hasSize(1);
	}

	@Test
	void doesNotKnowUnknownCoupon() {
		assertThatExceptionOfType(NotFoundException.class).isThrownBy(() -> this.coupons.find("7"));
		assertThatExceptionOfType(NotFoundException.class).isThrownBy(() -> this.coupons.findClaims("7"));
		assertThatExceptionOfType(NotFoundException.class).isThrownBy(() -> this.coupons.claim("7", 7));
	}

	private String issue(int stock) {
		return this.coupons.issue(new IssueCoupon("launch", stock)).id();
	}

}

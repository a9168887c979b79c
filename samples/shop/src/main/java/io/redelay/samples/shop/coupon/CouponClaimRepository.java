package io.redelay.samples.shop.coupon;

import java.util.List;

import org.springframework.data.repository.Repository;

/**
 * Who has which coupon.
 */
interface CouponClaimRepository extends Repository<CouponClaim, String> {

	boolean existsByCouponIdAndUserId(String couponId, long userId);

	int countByCouponId(String couponId);

	List<CouponClaim> findByCouponIdOrderByClaimedAt(String couponId);

}

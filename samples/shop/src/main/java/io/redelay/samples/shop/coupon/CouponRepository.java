package io.redelay.samples.shop.coupon;

import java.util.Optional;

import org.springframework.data.repository.Repository;

/**
 * The coupons.
 */
interface CouponRepository extends Repository<Coupon, String> {

	Optional<Coupon> findById(String id);

}

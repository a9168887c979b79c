package io.redelay.samples.shop.coupon;

import java.time.Instant;
import java.util.List;

import io.redelay.lock.MyLock;
import io.redelay.samples.shop.web.ConflictException;
import io.redelay.samples.shop.web.NotFoundException;

import org.springframework.data.jdbc.core.JdbcAggregateOperations;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/**
 * Gives coupons away, never more than there are and one to a user.
 */
@Service
class CouponService {

	private final JdbcAggregateOperations aggregates;

	private final CouponRepository coupons;

	private final CouponClaimRepository claims;

	CouponService(JdbcAggregateOperations aggregates, CouponRepository coupons, CouponClaimRepository claims) {
		this.aggregates = aggregates;
		this.coupons = coupons;
		this.claims = claims;
	}

	Coupon issue(IssueCoupon request) {
		return this.aggregates.insert(Coupon.of(request, Instant.now()));
	}

	Coupon find(String id) {
		return this.coupons.findById(id).orElseThrow(() -> new NotFoundException("coupon", id));
	}

	List<CouponClaim> findClaims(String id) {
		return this.claims.findByCouponIdOrderByClaimedAt(find(id).id());
	}

	/**
	 * Reads first and writes then. Side by side, many would read the last coupon and all
	 * would take it. Under the lock, which ends after the commit, each reads what the one
	 * before has written, on whichever instance. Other coupons have locks of their own.
	 */
	@MyLock(name = "coupon:#{id}", waitTime = 5)
	@Transactional
	CouponClaim claim(String id, long userId) {
		Coupon coupon = find(id);
		if (this.claims.existsByCouponIdAndUserId(id, userId)) {
			throw new ConflictException("The user %d has the coupon '%s' already".formatted(userId, id));
		}
		if (this.claims.countByCouponId(id) >= coupon.stock()) {
			throw new ConflictException("The coupon '%s' is sold out".formatted(id));
		}
		return this.aggregates.insert(CouponClaim.of(id, userId, Instant.now()));
	}

}

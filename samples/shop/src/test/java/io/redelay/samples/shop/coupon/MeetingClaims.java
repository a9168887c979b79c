package io.redelay.samples.shop.coupon;

import java.util.List;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import org.springframework.beans.factory.config.BeanPostProcessor;

/**
 * Lets a number of claims meet after each has read and before any writes: what is a race
 * now and then becomes one each time. If something keeps the claims apart, they fail.
 */
public final class MeetingClaims implements BeanPostProcessor {

	private final CyclicBarrier meeting;

	public MeetingClaims(int parties) {
		this.meeting = new CyclicBarrier(parties);
	}

	@Override
	public Object postProcessAfterInitialization(Object bean, String name) {
		return (bean instanceof CouponClaimRepository claims) ? new Claims(claims, this.meeting) : bean;
	}

	private record Claims(CouponClaimRepository claims, CyclicBarrier meeting) implements CouponClaimRepository {

		@Override
		public boolean existsByCouponIdAndUserId(String couponId, long userId) {
			return this.claims.existsByCouponIdAndUserId(couponId, userId);
		}

		@Override
		public int countByCouponId(String couponId) {
			int count = this.claims.countByCouponId(couponId);
			try {
				this.meeting.await(30, TimeUnit.SECONDS);
			}
			catch (InterruptedException | BrokenBarrierException | TimeoutException ex) {
				throw new IllegalStateException("The claims do not meet", ex);
			}
			return count;
		}

		@Override
		public List<CouponClaim> findByCouponIdOrderByClaimedAt(String couponId) {
			return this.claims.findByCouponIdOrderByClaimedAt(couponId);
		}

	}

}

package com.example.matrix;

import java.util.concurrent.locks.LockSupport;

import io.redelay.lock.MyLock;

import org.springframework.stereotype.Component;

/**
 * Counts wrongly if two threads count at the same time.
 */
@Component
class Counter {

	private volatile int count;

	@MyLock(value = "counter", waitTime = 60)
	void increment() {
		int before = this.count;
		LockSupport.parkNanos(1_000_000);
		this.count = before + 1;
	}

	int count() {
		return this.count;
	}

}

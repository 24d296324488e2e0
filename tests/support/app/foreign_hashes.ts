/** Hashes of other systems that cost little, by kind, as their exports have them: each with its password. */
export const FOREIGN_HASHES: Record<string, { password: string; passwordHash: unknown }> = {
  "bcrypt 2a": {
    password: "abc",
    passwordHash: "$2a$06$If6bvum7DFjUnE9p2uDeDu0YHzrHM6tf.iqN8.yx.jNN1ILEf7h0i",
  },
  "bcrypt 2b": { password: "U*U", passwordHash: "$2b$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW" },
  "bcrypt 2y": { password: "U*U", passwordHash: "$2y$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW" },
  argon2id: {
    password: "password",
    passwordHash: "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc",
  },
  argon2i: {
    password: "password",
    passwordHash: "$argon2i$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$wWKIMhR9lyDFvRz9YTZweHKfbftvj+qf+YFY4NeBbtA",
  },
  scrypt: {
    password: "pleaseletmein",
    passwordHash: "$scrypt$ln=14,r=8,p=1$U29kaXVtQ2hsb3JpZGU$" +
      "cCO9yzr9c0hGHAbNgf046/2o+7qQT44+qbVD9lRdofLVQylVYT8Pz2LUlwUkKpr55h6F3A1lHkDfzwF7RVdYhw",
  },
  "pbkdf2-sha256": {
    password: "password",
    passwordHash: "$pbkdf2-sha256$i=4096$c2FsdA$xeR41ZKIyEGqUw22hFxMjZYok6ABzk4RpJY4c6qYE0o",
  },
  "pbkdf2-sha512": {
    password: "password",
    passwordHash: "$pbkdf2-sha512$i=4096,l=64$c2FsdA$" +
      "0Zexsz2wFD4BixLz0dFHnmzevcyXxcD4f2kC4HL0V7UUPzBgJkGz1VzTNZiMs2uEN2Bg7NUy4Dm3QqI5Q0ry1Q",
  },
  firebase: {
    password: "user1password",
    passwordHash: {
      firebaseScrypt: {
        hash: "lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ==",
        salt: "42xEC+ixf3L2lw==",
        signerKey: "jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==",
        saltSeparator: "Bw==",
        rounds: 8,
        memCost: 14,
      },
    },
  },
};

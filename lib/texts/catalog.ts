// deno-fmt-ignore-file
// Written by `deno task texts` from the texts in lib/texts/en. Do not edit it.

/** Makes a link or another element of a part of a text. */
export type Tag<Node> = (children: (string | Node)[]) => Node;
/** A text with elements in it. */
export type Rich<Node> = string | Node | (string | Node)[];

/** The texts in English: their keys and their arguments. */
export interface Catalog {
  admin: {
    title: string;
    allPages: string;
    pages: {
      overview: string;
      accounts: string;
      groups: string;
      emails: string;
      events: string;
      webhooks: string;
      apps: string;
    };
    count: (values: { precision: string; number: number }) => string;
    counted: (values: { number: number; precision: string }) => string;
    overview: {
      needs: string;
      noNeeds: string;
      need: {
        failedEmails: (values: { count: number }) => string;
        waitingEmails: (values: { count: number }) => string;
        webhooks: (values: { count: number }) => string;
        failedLogins: (values: { count: number }) => string;
      };
      accounts: string;
      all: string;
      newThisWeek: string;
      unverified: string;
      suspended: string;
      withoutFactor: string;
      closing: string;
      admins: string;
      logins: string;
      day: string;
      week: string;
      byDay: (values: { days: number }) => string;
      failedDay: string;
      emails: string;
      waiting: string;
      oldest: string;
      failed: string;
      storage: string;
      files: string;
      about: (values: { size: string }) => string;
      alerts: string;
      alertsLead: string;
      noAlerts: string;
    };
    list: {
      search: string;
      find: string;
      status: string;
      heads: {
        person: string;
        joined: string;
        lastSeen: string;
      };
      statuses: {
        active: string;
        unverified: string;
        suspended: string;
        closing: string;
      };
      admin: string;
      created: string;
      lastSeen: string;
      none: string;
      noneHint: string;
      showAll: string;
      pages: string;
      firstPage: string;
      nextPage: string;
    };
    mails: {
      statuses: {
        waiting: string;
        sent: string;
        failed: string;
      };
      parts: {
        waiting: string;
        failed: string;
        sent: string;
        all: string;
      };
      heads: {
        email: string;
        delivery: string;
        status: string;
        created: string;
      };
      lead: string;
      filter: string;
      none: string;
      deleted: string;
      attempts: (values: { attempts: number }) => string;
      next: string;
      answer: (values: { answer: string }) => string;
      retry: string;
      retryNamed: (values: { mail: string }) => string;
      retryTitle: string;
      gone: string;
      retryLead: string;
    };
    log: {
      lead: string;
      heads: {
        event: string;
        account: string;
        by: string;
        byLabel: string;
        device: string;
        time: string;
      };
      kind: string;
      any: string;
      period: string;
      anyTime: string;
      who: string;
      unknown: string;
      none: string;
      withToken: (values: { name: string; token: string }) => string;
      commandLine: string;
      reason: (values: { reason: string }) => string;
      groups: {
        accounts: string;
        login: string;
        apps: string;
        files: string;
        administration: string;
      };
      kindNames: {
        "user.registered": string;
        "user.verified": string;
        "user.updated": string;
        "user.deleted": string;
        "email.changed": string;
        "email.reverted": string;
        "email.requested": string;
        "password.changed": string;
        "password.reset": string;
        "session.started": string;
        "session.link_created": string;
        "session.ended": string;
        "login.failed": string;
        "proof.failed": string;
        "identity.linked": string;
        "identity.unlinked": string;
        "passkey.added": string;
        "passkey.removed": string;
        "totp.enabled": string;
        "totp.disabled": string;
        "second_factor.required": string;
        "second_factor.due": string;
        "second_factor.extended": string;
        "device.trusted": string;
        "device.forgotten": string;
        "recovery_codes.made": string;
        "recovery_code.used": string;
        "token.made": string;
        "token.ended": string;
        "app.authorized": string;
        "app.ended": string;
        "device.approved": string;
        "grant.reused": string;
        "account.closing": string;
        "account.kept": string;
        "account.suspended": string;
        "account.unsuspended": string;
        "admin.first": string;
        "role.changed": string;
        "limits.cleared": string;
        "upload.stored": string;
        "upload.deleted": string;
        "upload.linked": string;
        "upload.links_revoked": string;
        "upload.opened": string;
        "webhook.changed": string;
        "client.grants_ended": string;
        "client.created": string;
        "client.changed": string;
        "client.deleted": string;
        "group.joined": string;
        "group.left": string;
        "group.changed": string;
      };
      kinds: {
        invited: string;
        "email.requested": string;
        promoted: string;
        demoted: string;
        "limits.cleared": string;
        "upload.opened": string;
      };
    };
    apps: {
      title: string;
      lead: string;
      heads: {
        app: string;
        people: string;
        signIns: string;
        lastUsed: string;
      };
      firstParty: string;
      none: string;
      people: (values: { count: number }) => string;
      signIns: (values: { count: number }) => string;
      end: string;
      endLead: string;
      add: string;
      createTitle: string;
      create: string;
      editTitle: (values: { app: string }) => string;
      edit: string;
      save: string;
      kind: string;
      kinds: {
        confidential: string;
        public: string;
        device: string;
        service: string;
      };
      fields: {
        client_name: string;
        redirect_uris: string;
        post_logout_redirect_uris: string;
        client_uri: string;
        groups: string;
        scope: string;
        backchannel_logout_uri: string;
      };
      hints: {
        client_name: string;
        redirect_uris: string;
        post_logout_redirect_uris: string;
        groups: string;
        scope: string;
        backchannel_logout_uri: string;
      };
      stays: string;
      tooMany: string;
      tooManySecrets: string;
      ofFile: string;
      settings: string;
      settingsLead: string;
      issuer: string;
      clientId: string;
      secret: string;
      noSecret: string;
      shownOnce: string;
      programs: string;
      programsLead: string;
      callback: string;
      newSecret: string;
      neverAgain: string;
      copySecret: {
        copy: string;
        copied: string;
        copyFailed: string;
      };
      secretOf: (values: { n: number }) => string;
      deleteSecret: (values: { n: number }) => string;
      secretsGone: string;
      logo: {
        change: string;
        title: (values: { app: string }) => string;
        hint: (values: { limit: string }) => string;
        choose: string;
        save: string;
        remove: string;
      };
      acts: string;
      makeSecret: string;
      delete: string;
    };
    reason: string;
    reasonHint: string;
    optional: string;
  };
  adminAccount: {
    back: string;
    backTo: (values: { name: string }) => string;
    id: string;
    login: {
      title: string;
      can: (values: { ways: string }) => string;
      cannot: string;
      otherwise: (values: { ways: string }) => string;
      ways: {
        password: string;
        passkeys: (values: { count: number }) => string;
        code: string;
      };
      obstacles: {
        suspended: (values: { since: Date; reason: string }) => string;
        noReason: string;
        unconfirmed: string;
        limited: {
          account: (values: { until: Date }) => string;
          login: (values: { address: string; until: Date }) => string;
          attempt: (values: { address: string; until: Date }) => string;
          guess: (values: { address: string; until: Date }) => string;
          proof: (values: { until: Date }) => string;
          code: (values: { until: Date }) => string;
        };
        here: string;
        providersGone: (values: { names: string }) => string;
        noWayIn: string;
        notAccepted: string;
      };
      hints: {
        closing: (values: { dueAt: Date }) => string;
        closingInvitation: (values: { dueAt: Date }) => string;
        secondStep: (values: { codes: number }) => string;
        secondFactorDue: (values: { dueAt: Date }) => string;
        secondFactorOverdue: (values: { dueAt: Date }) => string;
        failed: string;
        refused: (values: { answer: string }) => string;
        undelivered: (values: { mail: string; attempts: number }) => string;
      };
    };
    actGroups: {
      help: string;
      danger: string;
    };
    facts: {
      title: string;
      sessions: string;
      lastSeen: string;
      never: string;
      app: string;
      yes: string;
      no: string;
      recoveryCodes: string;
      passkeys: string;
      removal: string;
      connected: string;
      tokens: string;
      files: string;
      usedOf: (values: { used: string; quota: string }) => string;
    };
    sessions: string;
    noSessions: string;
    emails: string;
    noEmails: string;
    events: string;
    allEvents: string;
    acts: {
      suspend: {
        title: string;
        lead: string;
        submit: string;
      };
      unsuspend: {
        title: string;
        lead: string;
        submit: string;
      };
      keep: {
        title: string;
        lead: string;
        submit: string;
      };
      "end-sessions": {
        title: string;
        lead: string;
        submit: string;
      };
      "send-reset": {
        title: string;
        lead: string;
        submit: string;
      };
      "resend-verification": {
        title: string;
        lead: string;
        submit: string;
      };
      "reset-factors": {
        title: string;
        lead: string;
        submit: string;
      };
      "extend-second-factor": {
        title: string;
        lead: string;
        submit: string;
      };
      "clear-limits": {
        title: string;
        lead: string;
        submit: string;
      };
      promote: {
        title: string;
        lead: string;
        submit: string;
      };
      demote: {
        title: string;
        lead: string;
        submit: string;
      };
      close: {
        title: string;
        lead: (values: { days: number }) => string;
        submit: string;
      };
      delete: {
        title: string;
        lead: string;
        submit: string;
      };
    };
    limitsOf: (values: { address: string }) => string;
  };
  adminGroups: {
    title: string;
    lead: string;
    none: string;
    heads: {
      group: string;
      people: string;
      opens: string;
      person: string;
      by: string;
    };
    people: (values: { precision: string; count: number }) => string;
    places: (values: { count: number }) => string;
    save: {
      title: string;
      name: string;
      nameHint: string;
      groupTitle: string;
      titleHint: string;
      submit: string;
    };
    back: string;
    backTo: (values: { group: string }) => string;
    empty: string;
    remove: string;
    removeNamed: (values: { name: string }) => string;
    opens: string;
    opensNothing: string;
    add: {
      title: string;
      who: string;
      submit: string;
    };
    rename: string;
    delete: string;
    deleteTitle: string;
    deleteLead: string;
    removeTitle: string;
    removeLead: string;
    sources: {
      admin: string;
    };
    inUse: (values: { by: string }) => string;
    tooMany: string;
    tooManyOfPerson: string;
    noAccount: string;
    ofPerson: {
      title: string;
      none: string;
      change: string;
      lead: string;
      legend: string;
      also: (values: { sources: string }) => string;
      noGroups: string;
      submit: string;
    };
  };
  apiDocs: {
    title: string;
    description: string;
    lead: <Node>(values: { file: Tag<Node> }) => Rich<Node>;
    guide: string;
    anyRequest: string;
    howToLogIn: string;
    ways: {
      session: {
        name: string;
        text: <Node>(values: { route: Tag<Node> }) => Rich<Node>;
      };
      token: {
        name: string;
        text: <Node>(values: { route: Tag<Node> }) => Rich<Node>;
      };
      app: {
        name: string;
        text: <Node>(values: { route: Tag<Node> }) => Rich<Node>;
      };
    };
    search: string;
    find: string;
    noneFound: string;
    back: string;
    contents: string;
    needsSession: string;
    needsClient: string;
    needsAccessToken: string;
    needsSessionOrToken: <Node>(values: { code: Tag<Node>; scope: string }) => Rich<Node>;
    isPublic: string;
    isPublicOrToken: <Node>(values: { code: Tag<Node>; scope: string }) => Rich<Node>;
    limit: (values: { requests: number; minutes: number }) => string;
    input: string;
    responses: string;
    copy: string;
    copied: string;
    copyFailed: string;
    errors: string;
    errorsLead: string;
    code: string;
    status: string;
    whatToDo: string;
    example: string;
    exampleResponse: (values: { status: string }) => string;
    required: string;
    inPath: string;
    inQuery: string;
    inHeader: string;
    file: string;
    lengthAtMost: (values: { max: number }) => string;
    lengths: (values: { min: number; max: number }) => string;
    atLeast: (values: { min: number }) => string;
    bounds: (values: { min: number; max: number }) => string;
    oneOf: (values: { values: string }) => string;
    comma: string;
    orNull: string;
    openInBrowser: string;
    remedies: {
      VALIDATION_FAILED: string;
      INVALID_JSON: string;
      INVALID_STATE: string;
      INVALID_TOKEN: string;
      FILE_TYPE_NOT_ALLOWED: string;
      FILE_SIGNATURE_MISMATCH: string;
      IMAGE_INVALID: string;
      INVALID_CREDENTIALS: string;
      UNAUTHENTICATED: string;
      EMAIL_NOT_VERIFIED: string;
      REAUTHENTICATION_REQUIRED: string;
      SECOND_FACTOR_REQUIRED: string;
      SECOND_FACTOR_SETUP_REQUIRED: string;
      ACCOUNT_SUSPENDED: string;
      ACCOUNT_CLOSING: string;
      REGISTRATION_CLOSED: string;
      PASSWORDS_OFF: string;
      PROVIDER_REQUIRED: string;
      PROOF_WRONG: string;
      SCOPE_MISSING: string;
      SESSION_REQUIRED: string;
      USER_REQUIRED: string;
      FORBIDDEN: string;
      NOT_FOUND: string;
      IDP_NOT_CONFIGURED: string;
      METHOD_NOT_ALLOWED: string;
      EMAIL_GONE: string;
      GROUP_IN_USE: string;
      EMAIL_TAKEN: string;
      IDEMPOTENCY_IN_PROGRESS: string;
      LAST_ADMIN: string;
      LAST_SECOND_FACTOR: string;
      LAST_SIGN_IN_METHOD: string;
      MANAGED_BY_FILE: string;
      NOT_UPLOADED: string;
      TOO_MANY: string;
      UPLOAD_IN_PROGRESS: string;
      PRECONDITION_FAILED: string;
      PAYLOAD_TOO_LARGE: string;
      QUOTA_EXCEEDED: string;
      UNSUPPORTED_MEDIA_TYPE: string;
      IDEMPOTENCY_KEY_REUSED: string;
      RATE_LIMITED: string;
      INTERNAL: string;
      UNAVAILABLE: string;
    };
  };
  authorize: {
    returnTo: (values: { app: string }) => string;
    oneButton: (values: { app: string }) => string;
    consent: {
      title: (values: { app: string }) => string;
      statedName: string;
      anyProgram: string;
      appOn: (values: { host: string }) => string;
      appOnDevice: (values: { app: string }) => string;
      willBeAble: (values: { app: string }) => string;
      offline: (values: { app: string }) => string;
      allow: string;
      cancel: string;
      other: string;
      about: (values: { app: string }) => string;
      policy: string;
      terms: string;
    };
    profileWithoutPhoto: string;
    addPhotos: string;
    scopes: {
      openid: string;
      profile: string;
      email: string;
      groups: string;
      offline_access: string;
      "profile:read": string;
      "profile:write": string;
      "users:read": string;
      "users:invite": string;
      "uploads:read": string;
      "uploads:write": string;
      "account:read": string;
    };
    ofResource: (values: { name: string; text: string }) => string;
    useResource: (values: { name: string }) => string;
    choice: {
      title: string;
      lead: (values: { app: string }) => string;
      continue: (values: { name: string }) => string;
    };
    untrusted: {
      title: string;
      advice: string;
    };
    document: {
      title: (values: { host: string }) => string;
      advice: (values: { host: string }) => string;
    };
    withheld: {
      title: (values: { app: string }) => string;
      advice: (values: { app: string }) => string;
      problem: string;
    };
    noAccess: {
      title: (values: { app: string }) => string;
      advice: (values: { app: string }) => string;
    };
    tooOften: {
      title: (values: { app: string }) => string;
      advice: (values: { app: string; minutes: number }) => string;
      tryAgain: string;
    };
    device: {
      title: string;
      lead: string;
      code: string;
      hint: string;
      submit: string;
      wrongCode: string;
      question: (values: { app: string }) => string;
      askedFrom: (values: { device: string; address: string; minutes: number }) => string;
      warning: string;
      return: string;
      allowed: string;
      denied: string;
    };
  };
  copyLink: {
    copy: string;
    copied: string;
    copyFailed: string;
  };
  dashboard: {
    title: (values: { name: string }) => string;
    changeVisibility: string;
    confirmTitle: string;
    confirmText: (values: { email: string; lifetime: string }) => string;
    apps: string;
    setUp: string;
    done: (values: { done: number; all: number }) => string;
    steps: {
      addPhoto: {
        title: string;
        text: string;
        done: string;
      };
      writeBio: {
        title: string;
        text: string;
        done: string;
      };
      addPasskey: {
        title: string;
        text: string;
        done: string;
      };
    };
    allFiles: string;
    noFiles: string;
    uploadFile: string;
    activity: string;
    allActivity: string;
  };
  email: {
    title: string;
    current: (values: { email: string }) => string;
    lead: string;
    pending: {
      title: (values: { email: string }) => string;
      lead: (values: { email: string }) => string;
      resend: string;
      resendTo: (values: { email: string }) => string;
      cancel: string;
      cancelOf: (values: { email: string }) => string;
    };
    visibility: {
      isShown: {
        everyone: string;
        members: string;
      };
      isHidden: string;
      hide: string;
      show: string;
    };
    newEmail: string;
    submit: string;
    confirmFirst: string;
    confirm: {
      title: string;
      question: (values: { email: string }) => string;
      lead: string;
      submit: string;
      hint: string;
      notAllowed: string;
      taken: string;
    };
    notMe: {
      title: string;
      lead: string;
      steps: {
        endSessions: string;
        removePassword: string;
        restoreAddress: (values: { email: string }) => string;
        removeMethods: string;
        emailLink: (values: { email: string }) => string;
      };
      submit: string;
      hint: string;
      deadLink: string;
    };
  };
  mails: {
    account_closing: {
      subject: string;
      heading: (values: { dueAt: Date }) => string;
      summary: (values: { dueAt: Date }) => string;
      details: string;
      facts: {
        dueAt: string;
      };
      buttonAction: string;
      after: (values: { lifetime: string }) => string;
    };
    app_authorized: {
      subject: (values: { app: string }) => string;
      heading: string;
      facts: {
        app: string;
      };
    };
    client_changed: {
      subject: (values: { change: string; app: string }) => string;
      heading: (values: { change: string }) => string;
      summary: string;
      details: string;
      facts: {
        app: string;
      };
      after: (values: { lifetime: string }) => string;
    };
    closed_by_operator: {
      subject: string;
      heading: (values: { dueAt: Date }) => string;
      summary: string;
      details: string;
      facts: {
        dueAt: string;
      };
      action: string;
      after: string;
    };
    code: {
      subject: (values: { code: string }) => string;
      heading: string;
      summary: string;
      after: (values: { lifetime: string }) => string;
    };
    deleted_by_operator: {
      subject: string;
      heading: string;
      summary: string;
      details: string;
      after: string;
    };
    deletion: {
      subject: string;
      heading: string;
      summary: string;
      details: string;
      after: string;
    };
    email_change: {
      subject: string;
      heading: string;
      summary: string;
      action: string;
      after: (values: { lifetime: string }) => string;
    };
    email_change_requested: {
      subject: string;
      heading: string;
      details: string;
      facts: {
        newEmail: string;
      };
    };
    email_changed: {
      subject: string;
      heading: string;
      facts: {
        newEmail: string;
      };
    };
    email_in_use: {
      subject: string;
      heading: string;
      summary: string;
      details: string;
      action: string;
      after: string;
    };
    factor_reset: {
      subject: string;
      heading: string;
      summary: string;
      details: string;
      action: string;
      after: (values: { lifetime: string }) => string;
    };
    factor_reset_waiting: {
      subject: string;
      heading: (values: { dueAt: Date }) => string;
      summary: string;
      details: string;
      facts: {
        dueAt: string;
      };
      action: string;
      after: string;
    };
    first_admin: {
      subject: string;
      heading: string;
      summary: string;
      details: string;
      action: string;
      after: (values: { lifetime: string }) => string;
    };
    grant_reused: {
      subject: (values: { app: string }) => string;
      heading: string;
      summary: (values: { app: string }) => string;
      facts: {
        app: string;
      };
    };
    identity_linked: {
      subject: (values: { provider: string }) => string;
      heading: (values: { provider: string }) => string;
      facts: {
        provider: string;
      };
    };
    invitation: {
      subject: string;
      heading: string;
      summary: (values: { hasName: string; name: string; hasInviter: string; inviter: string }) => string;
      details: string;
      action: string;
      after: (values: { lifetime: string }) => string;
    };
    invitation_link: {
      subject: string;
      heading: string;
      summary: (values: { hasName: string; name: string; hasInviter: string; inviter: string }) => string;
      details: string;
      action: string;
      after: (values: { lifetime: string }) => string;
    };
    invitation_provider: {
      subject: string;
      heading: string;
      summary: (values: { hasName: string; name: string; hasInviter: string; inviter: string }) => string;
      details: (values: { provider: string }) => string;
      action: string;
      after: (values: { provider: string }) => string;
    };
    kept_by_operator: {
      subject: string;
      heading: string;
      summary: string;
      details: string;
      action: string;
      after: string;
    };
    login_link: {
      subject: string;
      heading: string;
      summary: string;
      details: string;
      action: string;
      after: (values: { lifetime: string }) => string;
    };
    many_wrong_codes: {
      subject: string;
      heading: (values: { method: string }) => string;
      details: (values: { method: string }) => string;
      facts: {
        method: string;
      };
    };
    many_wrong_passwords: {
      subject: string;
      heading: string;
      summary: string;
      details: string;
      action: string;
      after: string;
    };
    new_device: {
      subject: string;
      heading: string;
      facts: {
        method: string;
        trustedUntil: string;
      };
    };
    passkey_added: {
      subject: string;
      heading: string;
    };
    passkey_removed: {
      subject: string;
      heading: string;
    };
    password_changed: {
      subject: string;
      heading: string;
    };
    recovery: {
      subject: string;
      heading: string;
      summary: string;
      details: string;
      action: string;
      after: (values: { lifetime: string }) => string;
    };
    recovery_code_used: {
      subject: string;
      heading: string;
    };
    recovery_codes_created: {
      subject: string;
      heading: string;
    };
    recovery_link: {
      subject: string;
      heading: string;
      summary: string;
      details: string;
      action: string;
      after: (values: { lifetime: string }) => string;
    };
    reset: {
      subject: string;
      heading: string;
      summary: string;
      action: string;
      after: (values: { lifetime: string }) => string;
    };
    second_factor_due: {
      subject: string;
      heading: (values: { dueAt: Date }) => string;
      summary: string;
      details: string;
      facts: {
        dueAt: string;
      };
      action: string;
      after: string;
    };
    sign_in_code: {
      subject: (values: { code: string }) => string;
      heading: string;
      summary: string;
      action: string;
      after: (values: { lifetime: string }) => string;
    };
    token_created: {
      subject: string;
      heading: string;
    };
    token_expiring: {
      subject: string;
      heading: string;
      summary: (values: { name: string; expiresAt: Date }) => string;
      facts: {
        hint: string;
        expiresAt: string;
      };
      action: string;
      after: string;
    };
    totp_disabled: {
      subject: string;
      heading: string;
      details: string;
    };
    totp_enabled: {
      subject: string;
      heading: string;
    };
    totp_removed_by_operator: {
      subject: string;
      heading: string;
      details: string;
      summary: string;
    };
    verification: {
      subject: string;
      heading: string;
      summary: string;
      action: string;
      after: (values: { lifetime: string }) => string;
    };
    webhook_disabled: {
      subject: string;
      heading: string;
      summary: (values: { host: string }) => string;
      action: string;
      after: string;
    };
  };
  errors: {
    checkFields: string;
    byCode: {
      INVALID_CREDENTIALS: string;
      INVALID_TOKEN: string;
      EMAIL_NOT_VERIFIED: string;
      PROOF_WRONG: string;
      ACCOUNT_SUSPENDED: string;
      PASSWORDS_OFF: string;
      LAST_ADMIN: string;
      LAST_SECOND_FACTOR: string;
      LAST_SIGN_IN_METHOD: string;
      FORBIDDEN: string;
      UNAUTHENTICATED: string;
      PAYLOAD_TOO_LARGE: string;
    };
    providerRequired: (values: { provider: string }) => string;
    deadLink: string;
    networkLimit: (values: { minutes: number }) => string;
    networkLimitOr: (values: { minutes: number; providers: string }) => string;
    addressLimit: (values: { minutes: number }) => string;
    rateLimited: (values: { minutes: number }) => string;
    other: string;
  };
  frame: {
    description: string;
    languages: string;
    skipToContent: string;
    mainNavigation: string;
    accountMenu: (values: { name: string }) => string;
    people: string;
    apiDocs: string;
    help: string;
    terms: string;
    privacy: string;
    contact: string;
    uploads: string;
    viewProfile: string;
    dashboard: string;
    settings: string;
    security: string;
    administration: string;
    keepAccount: string;
    logIn: string;
    createAccount: string;
    logOut: string;
    titleWithError: (values: { title: string }) => string;
    oneMoment: string;
    continue: string;
    loop: {
      title: string;
      explanation: (values: { host: string }) => string;
      advice: string;
    };
    tryAgain: string;
    resend: string;
    homePage: string;
    logInInNewTab: string;
    errorPages: {
      "400": {
        title: string;
        advice: string;
      };
      "401": {
        title: string;
        advice: string;
      };
      "403": {
        title: string;
        advice: string;
      };
      "404": {
        title: string;
        advice: string;
      };
      "405": {
        title: string;
        advice: string;
      };
      "413": {
        title: string;
        advice: string;
      };
      "429": {
        title: string;
        advice: string;
      };
      "500": {
        title: string;
        advice: string;
      };
      "503": {
        title: string;
        advice: string;
      };
    };
    notFoundPages: {
      link: {
        title: string;
        advice: string;
      };
    };
    forbiddenPages: {
      group: {
        title: string;
        advice: string;
      };
      origin: {
        title: string;
        advice: string;
      };
      window: {
        title: string;
        advice: string;
      };
    };
    errorPagesByCode: {
      INVALID_STATE: {
        title: string;
        advice: string;
      };
      ACCOUNT_SUSPENDED: {
        title: string;
        advice: string;
      };
    };
    providerRequiredPage: {
      title: string;
      advice: (values: { provider: string }) => string;
    };
    openAddress: (values: { address: string }) => string;
    askAddress: (values: { address: string }) => string;
    askProduct: string;
    requestId: string;
    openOutbox: string;
    development: string;
    outbox: {
      title: string;
      lead: string;
      empty: string;
      to: (values: { address: string }) => string;
      html: string;
      text: string;
      allKinds: string;
      emails: {
        title: string;
        lead: string;
        languages: string;
      };
    };
  };
  home: {
    title: string;
    lead: string;
    leadClosed: string;
    createAccount: string;
    logIn: string;
    development: {
      title: string;
      lead: string;
      done: string;
      embedded: <Node>(values: { code: Tag<Node>; folder: string }) => Rich<Node>;
      postgres: string;
      mailsKept: <Node>(values: { outbox: Tag<Node> }) => Rich<Node>;
      mailsSent: string;
      admin: <Node>(values: { code: Tag<Node>; command: string }) => Rich<Node>;
      hasAdmin: string;
      brand: <Node>(values: { code: Tag<Node> }) => Rich<Node>;
      hasBrand: string;
      seed: <Node>(values: { code: Tag<Node>; command: string }) => Rich<Node>;
      hasPeople: string;
      pages: <Node>(values: { api: Tag<Node>; mails: Tag<Node> }) => Rich<Node>;
    };
  };
  invite: {
    title: string;
    lead: (values: { lifetime: string }) => string;
    name: string;
    submit: string;
    problems: {
      EMAIL_TAKEN: string;
      EMAIL_NOT_VERIFIED: string;
      REGISTRATION_CLOSED: string;
    };
  };
  library: {
    hint: (values: { limit: string; files: number; limitOfAll: string }) => string;
    tooLargeTogether: (values: { limit: string }) => string;
    storedOf: (values: { stored: number; all: number }) => string;
    audience: {
      question: string;
      private: string;
      privateHint: string;
      public: string;
      publicHint: string;
    };
    title: string;
    stored: string;
    used: (values: { size: string; quota: string }) => string;
    usedWithoutLimit: (values: { size: string }) => string;
    moreOnceConfirmed: string;
    spaceUsed: string;
    none: string;
    noMore: string;
    search: string;
    find: string;
    all: string;
    noneFound: string;
    showAll: string;
    profilePhoto: string;
    changePhoto: string;
    choose: (values: { file: string }) => string;
    deleteChosen: string;
    uploadedAt: string;
    deleted: (values: { files: number }) => string;
    andMore: (values: { files: number }) => string;
    untilGone: (values: { minutes: number }) => string;
    undo: string;
    pages: string;
    firstPage: string;
    nextPage: string;
  };
  mail: {
    account: string;
    buttonNotWorking: string;
    sentTo: (values: { email: string; host: string }) => string;
    methods: {
      password: string;
      idp: string;
      passkey: string;
      invitation: string;
      code: string;
      link: string;
    };
    alert: {
      summary: string;
      facts: {
        happenedAt: string;
        device: string;
      };
      lastOfItsKind: (values: { silentUntil: Date }) => string;
      action: string;
      after: (values: { lifetime: string }) => string;
    };
  };
  network: {
    offlineKeepsText: string;
    offlineKeepsFiles: string;
    noResponse: string;
    unavailable: string;
    rateLimited: (values: { minutes: number }) => string;
    failed: string;
    someoneElse: string;
    loggedOut: <Node>(values: { login: Tag<Node> }) => Rich<Node>;
  };
  notices: {
    registered: string;
    logged_out: string;
    verify_first: string;
    verification_sent: string;
    verified: string;
    verified_log_in: string;
    account_closing: string;
    account_kept: string;
    account_deleted: string;
    reset_sent: string;
    emails_used_up: string;
    password_changed: string;
    password_reset: string;
    password_reset_step: string;
    password_saved: string;
    password_saved_others_ended: string;
    invitation_accepted: string;
    invitation_sent: string;
    code_sent: string;
    login_code_sent: string;
    codes_used_up: string;
    app_disconnected: string;
    session_ended: string;
    device_forgotten: string;
    other_sessions_ended: string;
    email_change_sent: string;
    email_change_canceled: string;
    email_changed: string;
    email_changed_log_in: string;
    account_secured: string;
    account_secured_log_in: string;
    second_step_expired: string;
    factor_reset_sent: string;
    factor_reset_started: string;
    factor_reset_stopped: string;
    totp_added: string;
    totp_removed: string;
    identity_added: string;
    identity_removed: string;
    passkey_added: string;
    passkey_renamed: string;
    passkey_removed: string;
    token_created: string;
    token_deleted: string;
    profile_saved: string;
    language_saved: string;
    email_shown: string;
    email_hidden: string;
    photo_saved: string;
    photo_removed: string;
    file_stored: string;
    files_stored: string;
    files_restored: string;
    files_not_chosen: string;
    link_created: string;
    links_ended: string;
    webhook_added: string;
    webhook_rotated: string;
    webhook_tested: string;
    webhook_enabled: string;
    webhook_replayed: string;
    webhook_deleted: string;
    admin_email_retried: string;
    admin_suspended: string;
    admin_unsuspended: string;
    admin_sessions_ended: string;
    admin_grants_ended: string;
    admin_reset_sent: string;
    admin_confirmation_sent: string;
    admin_factors_reset: string;
    admin_second_factor_extended: string;
    admin_limits_cleared: string;
    admin_promoted: string;
    admin_demoted: string;
    admin_closed: string;
    admin_kept: string;
    admin_deleted: string;
    admin_unchanged: string;
    group_saved: string;
    group_deleted: string;
    group_joined: string;
    group_left: string;
    groups_saved: string;
    app_created: string;
    app_changed: string;
    app_logo_saved: string;
    app_logo_removed: string;
    app_deleted: string;
    app_secret_created: string;
    app_secret_deleted: string;
  };
  password: {
    show: string;
    hide: string;
    showPassword: string;
    hidePassword: string;
    needs: string;
    notGuessable: string;
    done: string;
  };
  passwordRules: {
    tooShort: (values: { min: number }) => string;
    tooLong: (values: { max: number }) => string;
    uppercase: string;
    lowercase: string;
    digit: string;
    symbol: string;
  };
  people: {
    title: string;
    description: string;
    profileOf: (values: { name: string }) => string;
    joined: string;
    you: string;
    edit: string;
    viewYours: string;
    pages: string;
    firstPage: string;
    nextPage: string;
    search: string;
    find: string;
    searchedFor: (values: { query: string }) => string;
    noneFound: string;
    noneFoundHint: string;
    showAll: string;
    none: string;
    beFirst: string;
    noMore: string;
  };
  photo: {
    title: string;
    choose: string;
    hint: (values: { limit: string }) => string;
    hintWithScripts: (values: { limit: string }) => string;
    chooseFirst: string;
    notSaved: string;
    crop: string;
    crops: {
      start: string;
      center: string;
      end: string;
    };
    upload: string;
    uploading: string;
    remove: string;
    cancel: string;
    updated: string;
    removed: string;
    canceled: string;
    wrongType: string;
    heic: string;
    tooLarge: (values: { limit: string }) => string;
    gifTooLarge: (values: { limit: string }) => string;
    notOfType: (values: { type: string }) => string;
    quotaExceeded: string;
    invalid: string;
  };
  profile: {
    title: string;
    preview: string;
    labels: {
      name: string;
      bio: string;
      location: string;
      website: string;
    };
    optional: string;
    hints: {
      bio: (values: { max: number }) => string;
      website: string;
    };
    charactersLeft: (values: { left: number }) => string;
    charactersTooMany: (values: { excess: number }) => string;
    checkFields: string;
    save: string;
    saving: string;
    saved: string;
    changedElsewhere: string;
    unsaved: string;
  };
  proof: {
    title: string;
    purposes: {
      email: string;
      password: string;
      method: string;
      methodRemoval: string;
      recoveryCodes: string;
      app: string;
      appRemoval: string;
      passkey: string;
      passkeyRemoval: string;
      token: string;
      data: string;
      closing: string;
      authorization: string;
      device: string;
    };
    lead: string;
    codeLead: (values: { email: string }) => string;
    codeSentLead: (values: { email: string }) => string;
    password: string;
    code: string;
    totp: string;
    orTotp: string;
    totpHint: string;
    anyCode: string;
    or: string;
    codeHint: string;
    usePasskey: string;
    passkeyNeedsScripts: string;
    passkeyMissing: string;
    passkeyProblems: {
      canceled: string;
      failed: string;
    };
    submit: string;
    forgot: string;
    cancel: string;
    sendCode: string;
    sendNewCode: string;
    expired: {
      password: string;
      totp: string;
      passkey: string;
      code: string;
    };
    enter: {
      password: string;
      totp: string;
      passkey: string;
      code: string;
    };
    wrong: {
      password: string;
      credential: string;
      code: string;
    };
  };
  rules: {
    fillIn: {
      name: string;
    };
    fillInOther: string;
    other: string;
    texts: {
      tooShort: (values: { min: number }) => string;
      tooLong: (values: { max: number }) => string;
      tooLongBy: (values: { max: number; by: number }) => string;
      characters: string;
      unreadable: string;
      webAddress: string;
    };
  };
  serverRules: {
    fillIn: {
      email: string;
      password: string;
      currentPassword: string;
      passkeyName: string;
      code: string;
      file: string;
      tokenName: string;
      expiresInDays: string;
      reason: string;
      url: string;
      groupName: string;
      groupTitle: string;
      who: string;
      client_name: string;
    };
    chooseAgain: string;
    texts: {
      email: string;
      between: (values: { min: number; max: number }) => string;
      emailDomain: string;
      breached: string;
      tooManyFiles: (values: { max: number }) => string;
      fileIncomplete: string;
      fileName: (values: { max: number }) => string;
      guessable: string;
      scopes: string;
      publicAddress: string;
      eventKinds: string;
      sameAddress: string;
      groupName: string;
      unknownGroup: (values: { group: string }) => string;
      tooMany: string;
      redirectAddress: string;
      appScheme: string;
      webOrLocal: string;
      httpsAddress: string;
      uriCharacters: string;
      noServiceScope: string;
      noWildcard: string;
      noFragment: string;
      noCredentials: string;
      tooManyEntries: (values: { max: number }) => string;
      scope: (values: { scope: string }) => string;
      serviceScope: (values: { scope: string }) => string;
    };
    newPassword: {
      choose: string;
      kinds: {
        uppercase: string;
        lowercase: string;
        digit: string;
        symbol: string;
      };
      add: (values: { kinds: string }) => string;
      including: (values: { text: string; kinds: string }) => string;
    };
  };
  activity: {
    browserOn: (values: { browser: string; system: string }) => string;
    program: string;
    title: string;
    lead: string;
    today: string;
    yesterday: string;
    here: (values: { device: string }) => string;
    newDevice: string;
    trustedDevice: string;
    pages: string;
    newest: string;
    older: string;
    noMore: string;
    someProvider: string;
    fields: {
      name: string;
      bio: string;
      location: string;
      website: string;
      avatar: string;
      emailVisible: string;
      language: string;
    };
    events: {
      "user.registered": {
        invitation: string;
        other: string;
      };
      "user.verified": string;
      "user.updated": (values: { fields: string }) => string;
      "user.deleted": string;
      "email.changed": (values: { from: string; to: string }) => string;
      "email.reverted": (values: { from: string; to: string }) => string;
      "email.requested": string;
      "password.changed": {
        not_me: string;
        other: string;
      };
      "password.reset": {
        invitation: string;
        other: string;
      };
      "session.started": {
        idp: (values: { provider: string }) => string;
        password: string;
        passkey: string;
        invitation: string;
        code: string;
        link: string;
        other: string;
      };
      "session.link_created": string;
      "session.ended": {
        logout: string;
        new_session: string;
        ended: string;
        password_changed: string;
        password_reset: string;
        email_verified: string;
        identity_linked: string;
        not_me: string;
        account_closing: string;
        account_deleted: string;
        account_suspended: string;
        secrets_revoked: string;
        admin: string;
        other: string;
      };
      "login.failed": {
        password: string;
        code: string;
        second_factor: string;
        passkey: string;
        passkey_counter: string;
        other: string;
      };
      "proof.failed": {
        password: string;
        code: string;
        passkey: string;
        totp_setup: string;
        other: string;
      };
      "identity.linked": (values: { provider: string }) => string;
      "identity.unlinked": {
        not_me: (values: { provider: string }) => string;
        other: (values: { provider: string }) => string;
      };
      "passkey.added": (values: { name: string }) => string;
      "passkey.removed": {
        not_me: string;
        unverified: string;
        other: (values: { name: string }) => string;
      };
      "totp.enabled": string;
      "totp.disabled": {
        not_me: string;
        factor_reset: string;
        admin: string;
        other: string;
      };
      "second_factor.required": string;
      "second_factor.due": string;
      "second_factor.extended": string;
      "device.trusted": string;
      "device.forgotten": string;
      "recovery_codes.made": string;
      "recovery_code.used": string;
      "token.made": (values: { name: string }) => string;
      "token.ended": {
        deleted: (values: { name: string }) => string;
        password_reset: (values: { name: string }) => string;
        email_verified: (values: { name: string }) => string;
        identity_linked: (values: { name: string }) => string;
        not_me: (values: { name: string }) => string;
        account_closing: (values: { name: string }) => string;
        account_deleted: (values: { name: string }) => string;
        secrets_revoked: (values: { name: string }) => string;
        account_suspended: (values: { name: string }) => string;
        other: (values: { name: string }) => string;
      };
      "app.authorized": (values: { app: string }) => string;
      "app.ended": {
        disconnected: (values: { app: string }) => string;
        revoked: (values: { app: string }) => string;
        code_reused: (values: { app: string }) => string;
        too_many: (values: { app: string }) => string;
        logout: (values: { app: string }) => string;
        new_session: (values: { app: string }) => string;
        ended: (values: { app: string }) => string;
        password_changed: (values: { app: string }) => string;
        password_reset: (values: { app: string }) => string;
        email_verified: (values: { app: string }) => string;
        identity_linked: (values: { app: string }) => string;
        not_me: (values: { app: string }) => string;
        account_closing: (values: { app: string }) => string;
        account_deleted: (values: { app: string }) => string;
        account_suspended: (values: { app: string }) => string;
        secrets_revoked: (values: { app: string }) => string;
        admin: (values: { app: string }) => string;
        other: (values: { app: string }) => string;
      };
      "device.approved": (values: { app: string }) => string;
      "grant.reused": (values: { app: string }) => string;
      "account.closing": string;
      "account.kept": string;
      "account.suspended": string;
      "account.unsuspended": string;
      "admin.first": string;
      "role.changed": {
        admin: string;
        other: string;
      };
      "group.joined": (values: { group: string }) => string;
      "group.left": (values: { group: string }) => string;
      "group.changed": (values: { group: string }) => string;
      "limits.cleared": string;
      "upload.stored": {
        unnamed: string;
        other: (values: { name: string }) => string;
      };
      "upload.deleted": {
        unnamed: string;
        other: (values: { name: string }) => string;
      };
      "upload.linked": {
        unnamed: string;
        other: (values: { name: string }) => string;
      };
      "upload.links_revoked": {
        unnamed: string;
        other: (values: { name: string }) => string;
      };
      "upload.opened": (values: { name: string; reason: string }) => string;
      "webhook.changed": string;
      "client.grants_ended": (values: { app: string }) => string;
      "client.created": (values: { name: string }) => string;
      "client.changed": (values: { name: string }) => string;
      "client.deleted": (values: { name: string }) => string;
    };
  };
  closing: {
    data: {
      title: string;
      downloadTitle: string;
      download: (values: { files: string }) => string;
      downloadSubmit: string;
      closeTitle: string;
      close: (values: { days: string }) => string;
      closeAtOnce: string;
      closeLink: string;
    };
    close: {
      title: string;
      now: string;
      nowPoints: {
        loggedOut: string;
        hidden: string;
        addressKept: string;
        linksEnd: string;
        filesKept: string;
      };
      later: (values: { date: Date }) => string;
      laterPoints: {
        deleted: string;
        emailed: string;
      };
      undo: (values: { date: Date }) => string;
      download: string;
      submit: string;
    };
    keep: {
      title: string;
      lead: (values: { date: Date }) => string;
      submit: string;
      download: string;
      logOut: string;
    };
  };
  copyToken: {
    copy: string;
    copied: string;
    copyFailed: string;
  };
  passkeys: {
    logIn: string;
    refused: string;
    problems: {
      canceled: string;
      failed: string;
    };
    title: string;
    lead: string;
    none: string;
    full: (values: { max: number }) => string;
    added: string;
    lastUsed: string;
    neverUsed: string;
    synced: string;
    rename: string;
    renameOf: (values: { name: string }) => string;
    remove: string;
    removeOf: (values: { name: string }) => string;
    add: string;
    noScripts: string;
    missing: string;
    elsewhere: (values: { host: string }) => string;
    nowhere: string;
    elsewhereLink: (values: { host: string }) => string;
    addition: {
      title: string;
      lead: string;
      name: string;
      nameHint: string;
      defaultName: (values: { device: string }) => string;
      submit: string;
      refused: string;
      again: string;
      problems: {
        canceled: string;
        exists: string;
        failed: string;
      };
    };
    renaming: {
      title: string;
      submit: string;
    };
    removal: {
      title: (values: { name: string }) => string;
      lead: string;
      last: string;
      submit: string;
      keep: string;
    };
  };
  recoveryCodes: {
    title: string;
    lead: string;
    once: string;
    list: string;
    copy: string;
    copied: string;
    copyFailed: string;
    download: string;
    print: string;
    printHint: string;
    file: (values: { email: string }) => string;
    done: string;
    newTitle: string;
    newLead: string;
    submit: string;
    cancel: string;
  };
  secondFactor: {
    step: {
      title: string;
      lead: string;
      code: string;
      recovery: {
        title: string;
        lead: string;
        code: string;
        link: string;
        back: string;
      };
      passkey: {
        title: string;
        lead: string;
        refused: string;
        lostTitle: string;
        lost: (values: { wait: string }) => string;
      };
      notYou: string;
      otherAccount: string;
      trustDevice: (values: { time: string }) => string;
      submit: string;
      wrong: string;
      tooMany: (values: { wait: string }) => string;
      unreadable: string;
      lostAppTitle: string;
      lostCodesTitle: string;
      lost: (values: { wait: string }) => string;
      lostSubmit: string;
    };
    section: {
      title: string;
      off: string;
      on: string;
      verifyFirst: string;
      add: string;
      replace: string;
      remove: string;
      codesLeft: (values: { left: number }) => string;
      newCodes: string;
    };
    setup: {
      title: string;
      lead: string;
      replaces: string;
      start: string;
      cancel: string;
      scan: string;
      qr: string;
      secret: string;
      copy: string;
      copied: string;
      copyFailed: string;
      openApp: string;
      code: string;
      codeHint: string;
      submit: string;
      wrong: string;
      expired: string;
      startAgain: string;
    };
    remove: {
      title: string;
      lead: string;
      submit: string;
      cancel: string;
    };
    required: {
      title: string;
      lead: string;
      until: (values: { date: Date }) => string;
      now: string;
      app: string;
      passkey: string;
      later: string;
      prove: string;
      proveHere: string;
      password: string;
      confirm: string;
    };
    reset: {
      title: string;
      lead: (values: { wait: string }) => string;
      email: (values: { email: string }) => string;
      found: string;
      submit: string;
      hint: string;
      deadLink: string;
    };
    stop: {
      title: string;
      lead: (values: { date: Date }) => string;
      submit: string;
      warning: string;
    };
  };
  settings: {
    title: string;
    allPages: string;
    groups: {
      you: string;
      security: string;
      developers: string;
      account: string;
    };
    pages: {
      profile: string;
      email: string;
      language: string;
      password: string;
      signInMethods: string;
      sessions: string;
      apps: string;
      activity: string;
      tokens: string;
      data: string;
    };
    language: {
      title: string;
      lead: string;
      automatic: string;
      submit: string;
    };
    photoTooLarge: (values: { limit: string }) => string;
    password: {
      title: string;
      lead: string;
      submit: string;
    };
    firstPassword: {
      title: string;
      lead: string;
      submit: string;
    };
    newPassword: string;
    keepOthers: string;
    sessions: {
      title: string;
      lead: string;
      current: string;
      active: string;
      lastSeen: string;
      end: string;
      endOf: (values: { device: string }) => string;
      endOthers: string;
      othersHint: string;
      alone: string;
      gone: string;
      trusted: {
        title: string;
        lead: string;
        until: string;
        forget: string;
        forgetOf: (values: { device: string }) => string;
        gone: string;
      };
    };
    apps: {
      title: string;
      lead: string;
      none: string;
      host: string;
      device: string;
      lastUsed: string;
      since: string;
      offline: string;
      firstParty: string;
      signIns: (values: { count: number }) => string;
      allowed: (values: { scopes: string }) => string;
      disconnect: string;
      disconnectOf: (values: { app: string }) => string;
      gone: string;
      hint: string;
    };
    signInMethods: {
      title: string;
      password: string;
      providers: string;
      hasPassword: string;
      noPassword: string;
      linked: (values: { provider: string; email: string }) => string;
      notLinked: string;
      verifyFirst: (values: { provider: string }) => string;
      add: string;
      addOf: (values: { provider: string }) => string;
      addTitle: (values: { provider: string }) => string;
      addLead: (values: { provider: string }) => string;
      confirmLead: (values: { provider: string; identity: string; email: string }) => string;
      dontAdd: string;
      someProvider: string;
      refusals: {
        cancelled: (values: { provider: string }) => string;
        idp_failed: (values: { provider: string }) => string;
        idp_email: (values: { provider: string }) => string;
        idp_email_withheld: (values: { provider: string }) => string;
        expired: (values: { provider: string }) => string;
      };
      last: (values: { provider: string }) => string;
      lastWithoutPassword: (values: { provider: string }) => string;
      required: (values: { provider: string }) => string;
      remove: string;
      removeOf: (values: { provider: string }) => string;
      removeTitle: (values: { provider: string }) => string;
      removeLead: (values: { provider: string }) => string;
      keep: (values: { provider: string }) => string;
      choice: {
        title: string;
        lead: string;
        passkey: string;
        code: string;
        later: string;
      };
    };
  };
  tokens: {
    title: string;
    guide: string;
    lead: string;
    none: string;
    create: string;
    newToken: string;
    neverAgain: string;
    created: string;
    lastUsed: string;
    neverUsed: string;
    expires: string;
    delete: string;
    deleteNamed: (values: { name: string }) => string;
    gone: string;
    createTitle: string;
    name: string;
    nameHint: string;
    permissions: string;
    days: string;
    daysHint: string;
    tooMany: string;
    uploadPhotos: string;
    scopes: {
      "profile:read": string;
      "profile:write": string;
      "users:read": string;
      "users:invite": string;
      "uploads:read": string;
      "uploads:write": string;
      "account:read": string;
      admin: string;
    };
  };
  setup: {
    title: string;
    lead: string;
    emailAgain: string;
    emailAgainHint: string;
    taken: <Node>(values: { login: Tag<Node> }) => Rich<Node>;
    passkeyNext: string;
    submit: string;
    ownLead: string;
    ownSubmit: string;
    report: {
      title: string;
      lead: string;
      parts: {
        https: {
          title: string;
          good: string;
          missing: string;
        };
        mail: {
          title: string;
          good: string;
          missing: string;
        };
        address: {
          title: string;
          good: string;
          missing: string;
        };
        database: {
          title: string;
          good: string;
          missing: string;
        };
        secret: {
          title: string;
          good: string;
          missing: string;
        };
      };
      registration: {
        title: string;
        open: string;
        invited: string;
        closed: string;
      };
      done: string;
    };
  };
  sharing: {
    title: string;
    back: string;
    lead: string;
    newLink: string;
    neverAgain: string;
    worksUntil: string;
    create: string;
    expiresIn: string;
    lifetimes: {
      hour: string;
      day: string;
      week: string;
    };
    download: string;
    end: string;
    endLead: string;
  };
  signIn: {
    email: string;
    password: string;
    emailDomains: (values: { domains: string }) => string;
    continueWith: (values: { provider: string }) => string;
    someProvider: string;
    or: string;
    lastUsed: string;
    backToLogin: string;
    checkEmail: string;
    sendAgain: string;
    otherAddress: string;
    login: {
      title: string;
      heading: string;
      destination: (values: { destination: string }) => string;
      submit: string;
      toKeep: string;
      forgot: string;
      newHere: string;
      createAccount: string;
      cancelled: string;
      idpFailed: (values: { provider: string }) => string;
      idpEmail: (values: { provider: string }) => string;
      idpEmailWithheld: (values: { provider: string }) => string;
      registrationClosed: (values: { provider: string }) => string;
      withoutPassword: {
        cancelled: string;
        idpFailed: (values: { provider: string }) => string;
        idpEmail: (values: { provider: string }) => string;
        idpEmailWithheld: (values: { provider: string }) => string;
      };
    };
    logout: {
      title: string;
      lead: string;
      submit: string;
      question: string;
      stay: string;
      done: string;
      doneLead: string;
    };
    loginCode: {
      title: string;
      link: string;
      lead: string;
      tooManySent: (values: { minutes: number }) => string;
      sent: (values: { email: string }) => string;
    };
    register: {
      accepting: string;
      title: string;
      description: string;
      name: string;
      emailHint: string;
      emailVisible: {
        everyone: string;
        members: string;
      };
      submit: string;
      taken: <Node>(values: { login: Tag<Node>; reset: Tag<Node> }) => Rich<Node>;
      hasAccount: string;
      logIn: string;
      closed: {
        invited: {
          title: string;
          lead: string;
        };
        closed: {
          title: string;
          lead: string;
        };
      };
      withoutPasswords: {
        providers: string;
        nothing: string;
      };
      newLink: string;
    };
    verify: {
      title: string;
      question: (values: { email: string }) => string;
      confirm: string;
      reject: string;
      rejectHint: string;
      checkTitle: string;
      arriving: string;
      sentBefore: (values: { email: string; lifetime: string }) => string;
      sentToYouBefore: (values: { lifetime: string }) => string;
      alreadyTitle: string;
      alreadyLogIn: string;
      alreadyDone: string;
      nothing: string;
      resend: string;
    };
    forgot: {
      title: string;
      lead: string;
      submit: string;
      sent: (values: { email: string; lifetime: string }) => string;
    };
    reset: {
      title: string;
      password: string;
      submit: string;
      newLink: string;
      missingLink: string;
    };
    invitation: {
      title: string;
      lead: string;
      password: string;
      submit: string;
    };
    loginOnce: {
      title: string;
      lead: (values: { email: string }) => string;
      submit: string;
    };
    loginLink: {
      elsewhere: string;
    };
  };
  sizes: {
    bytes: (values: { size: number }) => string;
    kilobytes: (values: { size: number }) => string;
    megabytes: (values: { size: number }) => string;
    gigabytes: (values: { size: number }) => string;
    terabytes: (values: { size: number }) => string;
  };
  uploads: {
    title: string;
    lead: string;
    choose: string;
    hintWithDrop: (values: { limit: string }) => string;
    submit: string;
    list: string;
    total: (values: { done: number; all: number }) => string;
    waiting: string;
    uploading: (values: { file: string }) => string;
    canceled: string;
    cancel: string;
    cancelFile: (values: { file: string }) => string;
    retry: string;
    retryFile: (values: { file: string }) => string;
    copy: string;
    copyFile: (values: { file: string }) => string;
    copied: string;
    copyFailed: string;
    download: string;
    downloadFile: (values: { file: string }) => string;
    share: string;
    shareFile: (values: { file: string }) => string;
    visibility: {
      private: string;
      public: string;
    };
    empty: string;
    tooLarge: (values: { limit: string }) => string;
    quotaExceeded: string;
    privateUnavailable: string;
    notOfType: string;
    typeNotAllowed: (values: { type: string }) => string;
    unsuitable: string;
    refused: string;
  };
  webhooks: {
    title: string;
    lead: string;
    none: string;
    heads: {
      webhook: string;
      event: string;
      attempts: string;
      status: string;
      added: string;
      time: string;
    };
    every: string;
    everyHint: string;
    andMore: (values: { count: number }) => string;
    add: string;
    addTitle: string;
    back: string;
    url: string;
    urlHint: string;
    kinds: string;
    tooMany: string;
    gone: string;
    on: string;
    off: string;
    failing: string;
    added: string;
    offSince: string;
    failingSince: string;
    because: {
      gone: string;
      failing: string;
    };
    newSecret: string;
    neverAgain: string;
    copySecret: {
      copy: string;
      copied: string;
      copyFailed: string;
    };
    acts: string;
    test: string;
    rotate: string;
    rotateHint: string;
    enable: string;
    delete: string;
    deliveries: string;
    noDeliveries: string;
    status: {
      waiting: string;
      sent: string;
      failed: string;
    };
    attempts: (values: { attempts: number }) => string;
    responseStatus: (values: { status: string }) => string;
    failures: {
      name: string;
      address: string;
      connection: string;
      certificate: string;
      timeout: string;
      status: string;
      secret: string;
    };
    again: string;
    againNamed: (values: { kind: string }) => string;
    pages: string;
    firstPage: string;
    nextPage: string;
  };
}
